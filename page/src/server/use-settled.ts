/** Delays a value until it stops changing, such as the words of a search while the user types. */
import { useEffect, useState } from 'preact/hooks';

/** The value after it has not changed for `ms` milliseconds. */
export function useSettled<T>(value: T, ms = 180): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
