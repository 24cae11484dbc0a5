/** The kinds of damage to the bytes of a file, by name. `random` chooses the place. */
type Damage = (bytes: Buffer, random: () => number) => Buffer;

const at = (bytes: Buffer, random: () => number) => Math.floor(random() * bytes.length);
export const DAMAGES: Record<string, Damage> = {
  truncated: (bytes, random) => bytes.subarray(0, at(bytes, random)),
  'random bytes': (bytes, random) => {
    const copy = Buffer.from(bytes);
    for (let n = 0; n < 1 + bytes.length / 50; n += 1) copy[at(copy, random)] = random() * 256;
    return copy;
  },
  'only noise': (bytes, random) => Buffer.from(bytes.map(() => random() * 256)),
  zeros: (bytes, random) => {
    const from = at(bytes, random);
    return Buffer.concat([bytes.subarray(0, from), Buffer.alloc(64)]);
  },
  'changed types': (bytes, random) => {
    const values = ['null', '7', '{}', '[]', 'true', '"x"', '-1e999'];
    const text = bytes.toString();
    const fields = [...text.matchAll(/": ?("[^"\n]*"|\d+|\[|\{)/g)];
    const field = fields[Math.floor(random() * fields.length)];
    if (field === undefined) return bytes;
    const value = values[Math.floor(random() * values.length)] ?? 'null';
    return Buffer.from(
      text.slice(0, field.index + 2) + value + text.slice(field.index + field[0].length),
    );
  },
  'deep nesting': (bytes) => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    return Buffer.from(
      bytes.toString().replace(/": ?("|\d|\[|\{)/, (match) => `": ${deep}, "x${match}`),
    );
  },
  doubled: (bytes) => Buffer.concat([bytes, bytes]),
  empty: () => Buffer.alloc(0),
};
