;; The inner loop of the search by meaning: the dot products of one row of 8-bit integers with many rows,
;; sixteen integers at a time (SIMD).
(module
  (import "m" "memory" (memory 1))
  ;; All numbers are byte offsets, except $width, a multiple of 16, and $count, at least 1.
  (func (export "dots")
    (param $question i32) (param $row i32) (param $width i32) (param $count i32) (param $sums i32)
    (local $at i32) (local $sum v128) (local $a v128) (local $b v128)
    (loop $rows
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $chunks
        (local.set $a (v128.load align=1 (i32.add (local.get $row) (local.get $at))))
        (local.set $b (v128.load align=1 (i32.add (local.get $question) (local.get $at))))
        (local.set $sum
          (i32x4.add
            (local.get $sum)
            (i32x4.add
              (i32x4.dot_i16x8_s
                (i16x8.extend_low_i8x16_s (local.get $a))
                (i16x8.extend_low_i8x16_s (local.get $b)))
              (i32x4.dot_i16x8_s
                (i16x8.extend_high_i8x16_s (local.get $a))
                (i16x8.extend_high_i8x16_s (local.get $b))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $chunks (i32.lt_u (local.get $at) (local.get $width))))
      (i32.store
        (local.get $sums)
        (i32.add
          (i32.add
            (i32x4.extract_lane 0 (local.get $sum))
            (i32x4.extract_lane 1 (local.get $sum)))
          (i32.add
            (i32x4.extract_lane 2 (local.get $sum))
            (i32x4.extract_lane 3 (local.get $sum)))))
      (local.set $row (i32.add (local.get $row) (local.get $width)))
      (local.set $sums (i32.add (local.get $sums) (i32.const 4)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br_if $rows (local.get $count))))
)
