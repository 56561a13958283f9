import { isTree, textOf, treesOf, type Tree } from '@backlot/contracts';

/** A data bucket of an environment. */
export interface Bucket {
  readonly name: string;
  readonly text: string;
}

/** The data buckets by their ids and names. */
export function bucketsOf(environment: Tree): ReadonlyMap<string, Bucket> {
  const buckets = new Map<string, Bucket>();
  for (const one of treesOf(environment['data'])) {
    const name = textOf(one['name']) ?? textOf(one['id']) ?? 'data';
    const bucket = { name, text: textOf(one['value']) ?? '' };
    for (const key of [textOf(one['id']), textOf(one['uuid']), name])
      if (key !== undefined) buckets.set(key, bucket);
  }
  return buckets;
}

/** The rows of a bucket; `undefined` when it is no list of objects that have keys of their own. */
export function bucketRows(bucket: Bucket, key: string): readonly Tree[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(bucket.text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || !value.every(isTree)) return undefined;
  const rows: readonly Tree[] = value;
  const keys = rows.map((row) => textOf(row[key]));
  return keys.includes(undefined) || new Set(keys).size !== keys.length ? undefined : rows;
}
