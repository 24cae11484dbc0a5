/** Sizes in bytes as text for people. */

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Such as `1.2 kB`, in powers of 1000. */
export function sizeOf(bytes: number): string {
  let left = bytes;
  let unit = 0;
  for (; left >= 1000 && unit < UNITS.length - 1; unit += 1) left /= 1000;
  return `${unit === 0 ? left : left.toFixed(1)} ${UNITS[unit]}`;
}
