/** Reads a whole list from a tool that returns it in pages. */
interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextOffset: number | undefined;
}

export async function allPages<T>(read: (offset: number) => Promise<ListPage<T>>): Promise<T[]> {
  const all: T[] = [];
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const { items, nextOffset }: ListPage<T> = await read(offset);
    all.push(...items);
    offset = nextOffset;
  }
  return all;
}
