;; Finds the words of a text and their keys, 16 characters at a time (SIMD). word-splitter.ts calls it, and has the
;; same in JavaScript.
(module
  (memory (export "memory") 6 6)
  ;; The most UTF-16 units of a text. The text begins at 0.
  (global (export "mostUnits") i32 (i32.const 0x8000))
  ;; Of each unit the digit of term-keys.ts, 0 for a separator, or 255 for a unit outside ASCII.
  (global $digits i32 (i32.const 0x11000))
  ;; Of each unit a bit, which is 1 in a word.
  (global $masks i32 (i32.const 0x1a000))
  ;; For each length of a word, which of its digits are in each half of its key; the halves end at lanes 5 and 13.
  (global $halves i32 (i32.const 0x1b800))
  (data (i32.const 0x1b800)
    "\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff"
    "\ff\ff\ff\ff\ff\00\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff"
    "\ff\ff\ff\ff\00\01\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff"
    "\ff\ff\ff\00\01\02\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff"
    "\ff\ff\00\01\02\03\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff"
    "\ff\00\01\02\03\04\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff"
    "\00\01\02\03\04\05\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff"
    "\00\01\02\03\04\05\ff\ff\ff\ff\ff\ff\ff\06\ff\ff"
    "\00\01\02\03\04\05\ff\ff\ff\ff\ff\ff\06\07\ff\ff"
    "\00\01\02\03\04\05\ff\ff\ff\ff\ff\06\07\08\ff\ff"
    "\00\01\02\03\04\05\ff\ff\ff\ff\06\07\08\09\ff\ff"
    "\00\01\02\03\04\05\ff\ff\ff\06\07\08\09\0a\ff\ff"
    "\00\01\02\03\04\05\ff\ff\06\07\08\09\0a\0b\ff\ff")
  ;; Of each word four numbers: start, end, and the two of its key. The second is -3 if the word has no such key.
  (global $words (export "words") i32 (i32.const 0x1c000))

  ;; Returns the number of words of the first $length units. Writes spaces after them.
  (func (export "split") (param $length i32) (result i32)
    (local $at i32) (local $to i32) (local $toEnd i32) (local $start i32) (local $size i32)
    (local $mask i64) (local $before i64) (local $last i64) (local $bits i64)
    (local $low v128) (local $high v128) (local $units v128) (local $other v128)
    (local $letter v128) (local $isLetter v128) (local $number v128) (local $isNumber v128)

    (local.set $to (i32.shl (local.get $length) (i32.const 1)))
    (v128.store (local.get $to) (v128.const i16x8 32 32 32 32 32 32 32 32))
    (v128.store offset=16 (local.get $to) (v128.const i16x8 32 32 32 32 32 32 32 32))

    ;; digits and masks
    (loop $block
      (local.set $to (i32.shl (local.get $at) (i32.const 1)))
      (local.set $low (v128.load (local.get $to)))
      (local.set $high (v128.load offset=16 (local.get $to)))
      (local.set $other (i8x16.narrow_i16x8_s
        (i16x8.gt_u (local.get $low) (i16x8.splat (i32.const 127)))
        (i16x8.gt_u (local.get $high) (i16x8.splat (i32.const 127)))))
      (local.set $units (i8x16.narrow_i16x8_u (local.get $low) (local.get $high)))
      (local.set $letter (i8x16.sub
        (v128.or (local.get $units) (i8x16.splat (i32.const 0x20)))
        (i8x16.splat (i32.const 0x60))))
      (local.set $isLetter (i8x16.lt_u
        (i8x16.sub (local.get $letter) (i8x16.splat (i32.const 1)))
        (i8x16.splat (i32.const 26))))
      (local.set $number (i8x16.sub (local.get $units) (i8x16.splat (i32.const 0x30))))
      (local.set $isNumber (i8x16.lt_u (local.get $number) (i8x16.splat (i32.const 10))))
      (v128.store
        (i32.add (global.get $digits) (local.get $at))
        (v128.or
          (v128.or (local.get $other) (v128.and (local.get $isLetter) (local.get $letter)))
          (v128.and
            (local.get $isNumber)
            (i8x16.add (local.get $number) (i8x16.splat (i32.const 27))))))
      (i32.store16
        (i32.add (global.get $masks) (i32.shr_u (local.get $at) (i32.const 3)))
        (i8x16.bitmask
          (v128.or (local.get $other) (v128.or (local.get $isLetter) (local.get $isNumber)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $block (i32.lt_u (local.get $at) (local.get $length))))
    (local.set $to (i32.add (global.get $masks) (i32.shr_u (local.get $at) (i32.const 3))))
    (i64.store (local.get $to) (i64.const 0))
    (i64.store offset=8 (local.get $to) (i64.const 0))

    ;; starts and ends
    (local.set $to (global.get $words))
    (local.set $toEnd (global.get $words))
    (local.set $at (i32.const 0))
    (loop $block
      (local.set $mask
        (i64.load (i32.add (global.get $masks) (i32.shr_u (local.get $at) (i32.const 3)))))
      (local.set $before
        (i64.or (i64.shl (local.get $mask) (i64.const 1)) (local.get $last)))
      (local.set $last (i64.shr_u (local.get $mask) (i64.const 63)))
      (local.set $bits (i64.and (local.get $mask) (i64.xor (local.get $before) (i64.const -1))))
      (block $done
        (loop $next
          (br_if $done (i64.eqz (local.get $bits)))
          (i32.store
            (local.get $to)
            (i32.add (local.get $at) (i32.wrap_i64 (i64.ctz (local.get $bits)))))
          (local.set $to (i32.add (local.get $to) (i32.const 16)))
          (local.set $bits (i64.and (local.get $bits) (i64.sub (local.get $bits) (i64.const 1))))
          (br $next)))
      (local.set $bits (i64.and (local.get $before) (i64.xor (local.get $mask) (i64.const -1))))
      (block $done
        (loop $next
          (br_if $done (i64.eqz (local.get $bits)))
          (i32.store offset=4
            (local.get $toEnd)
            (i32.add (local.get $at) (i32.wrap_i64 (i64.ctz (local.get $bits)))))
          (local.set $toEnd (i32.add (local.get $toEnd) (i32.const 16)))
          (local.set $bits (i64.and (local.get $bits) (i64.sub (local.get $bits) (i64.const 1))))
          (br $next)))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (br_if $block (i32.le_u (local.get $at) (local.get $length))))

    ;; keys: a half of six digits is ((d0*37 + d1) * 37^2 + d2*37 + d3) * 37^2 + d4*37 + d5
    (local.set $at (global.get $words))
    (block $done
      (loop $next
        (br_if $done (i32.eq (local.get $at) (local.get $to)))
        (local.set $start (i32.load (local.get $at)))
        (local.set $size (i32.sub (i32.load offset=4 (local.get $at)) (local.get $start)))
        (local.set $units
          (i8x16.swizzle
            (v128.load (i32.add (global.get $digits) (local.get $start)))
            (v128.load
              (i32.add
                (global.get $halves)
                (i32.shl
                  (select
                    (local.get $size)
                    (i32.const 0)
                    (i32.le_u (local.get $size) (i32.const 12)))
                  (i32.const 4))))))
        (local.set $low
          (i32x4.mul
            (i32x4.dot_i16x8_s
              (i16x8.extend_low_i8x16_u (local.get $units))
              (v128.const i16x8 37 1 37 1 37 1 0 0))
            (v128.const i32x4 1874161 1369 1 0)))
        (local.set $high
          (i32x4.mul
            (i32x4.dot_i16x8_s
              (i16x8.extend_high_i8x16_u (local.get $units))
              (v128.const i16x8 37 1 37 1 37 1 0 0))
            (v128.const i32x4 1874161 1369 1 0)))
        (i32.store offset=8
          (local.get $at)
          (i32.add
            (i32x4.extract_lane 0 (local.get $low))
            (i32.add
              (i32x4.extract_lane 1 (local.get $low))
              (i32x4.extract_lane 2 (local.get $low)))))
        (i32.store offset=12
          (local.get $at)
          (select
            (i32.const -3)
            (i32.add
              (i32x4.extract_lane 0 (local.get $high))
              (i32.add
                (i32x4.extract_lane 1 (local.get $high))
                (i32x4.extract_lane 2 (local.get $high))))
            (i32.or
              (i8x16.bitmask (local.get $units))
              (i32.gt_u (local.get $size) (i32.const 12)))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $to) (global.get $words)) (i32.const 4)))
)
