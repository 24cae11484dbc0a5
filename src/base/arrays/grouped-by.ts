/** Groups the values of a list. (Node 20 has no Map.groupBy.) */

/** By key: its values, in their order. The keys are in the order of their first values. */
export function groupedBy<K, T>(values: Iterable<T>, keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
