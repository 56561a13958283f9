import { invalid, StorageError, unmet } from './errors.mjs';

function numberOf(query, name) {
  const text = query[name];
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text))
    throw invalid(`Invalid value for ${name}: ${text}. A whole number would be right.`);
  return text;
}

/**
 * Asks the conditions of a call.
 *
 * @param thing - an object or a bucket; `undefined` when there is none, which is the generation 0
 * @param options.reads - whether what has not changed is answered with 304
 * @param options.source - whether the conditions are those of the source of a copy
 */
export function checkConditions(query, thing, { reads = false, source = false } = {}) {
  const prefix = source ? 'ifSource' : 'if';
  const { generation = '0', metageneration } = thing ?? {};
  const [is, not] = ['GenerationMatch', 'GenerationNotMatch'].map((name) => numberOf(query, prefix + name));
  if (is !== undefined && is !== generation) throw unmet();
  if (not !== undefined && not === generation) throw unmet(reads ? 304 : 412);
  const [metaIs, metaNot] = ['MetagenerationMatch', 'MetagenerationNotMatch'].map((name) =>
    numberOf(query, prefix + name),
  );
  if (metaIs !== undefined && metaIs !== metageneration) throw unmet();
  if (metaNot !== undefined && metaNot === metageneration) throw unmet(reads ? 304 : 412);
}

/** The bytes that a call asks for; `undefined` for all. */
export function rangeOf(header, size) {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (found === null || (found[1] === '' && found[2] === '')) return undefined;
  const first = found[1] === '' ? Math.max(size - Number(found[2]), 0) : Number(found[1]);
  const last = found[1] === '' || found[2] === '' ? size - 1 : Math.min(Number(found[2]), size - 1);
  if (first >= size || last < first)
    throw new StorageError(416, 'requestedRangeNotSatisfiable', 'Request range not satisfiable', {
      'Content-Range': `bytes */${size}`,
    });
  return { first, last };
}
