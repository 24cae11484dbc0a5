/** Parses text that may not be JSON, compares values, and leaves out fields without a value. */

/** `T` without `undefined`: a field that may be `undefined` is optional instead. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the fields whose value is `undefined`. */
export function defined<T extends object>(fields: T): Defined<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}

/** Returns the value of a JSON text; `undefined` if there is no text, or if it is not JSON. */
export function parsedJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Whether two JSON values are equal, in any order of their fields. Unlike `isDeepStrictEqual` of Node, it can
 * compare values that are nested some thousand levels deep.
 */
export function isSameJson(a: unknown, b: unknown): boolean {
  const rest = [[a, b]];
  for (let pair = rest.pop(); pair !== undefined; pair = rest.pop()) {
    const [one, other] = pair;
    if (Object.is(one, other)) continue;
    if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
    const [fields, others] = [Object.entries(one), new Map(Object.entries(other))];
    const isSameShape =
      Array.isArray(one) === Array.isArray(other) && fields.length === others.size;
    if (!isSameShape || !fields.every(([name]) => others.has(name))) return false;
    for (const [name, value] of fields) rest.push([value, others.get(name)]);
  }
  return true;
}

/**
 * The JSON texts of a line. Programs that append to a file at the same time can lose the line break between
 * two objects. A line of any other form is returned as it is.
 */
export function jsonTextsIn(line: string): readonly string[] {
  if (!line.includes('}{') || parsedJson(line) !== undefined) return [line];
  const texts: string[] = [];
  let [start, depth, isInString] = [0, 0, false];
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at];
    if (sign === '"') isInString = !isInString;
    else if (isInString) at += sign === '\\' ? 1 : 0;
    else if (sign === '{') depth += 1;
    else if (sign === '}') {
      depth -= 1;
      if (depth !== 0) continue;
      texts.push(line.slice(start, at + 1));
      start = at + 1;
    }
  }
  const rest = line.slice(start).trim();
  return rest === '' ? texts : [...texts, rest];
}
