import { createHash } from 'node:crypto';
import { matches } from './clauses.mjs';
import { contextsOf, keyOf, valueAt } from './contexts.mjs';

const MAX_DEPTH = 20;

/**
 * The value of a flag for a context, by the rules of the server SDKs.
 *
 * @param data - `flag(key)` and `segment(key)`, which give `undefined` for what is not there
 * @returns the value, the number of the variation, and the reason
 */
export function evaluate(flag, context, data, depth = 0) {
  if (depth > MAX_DEPTH) return failed('MALFORMED_FLAG');
  if (!flag.on) return off(flag, { kind: 'OFF' });
  for (const { key, variation } of flag.prerequisites ?? []) {
    const other = data.flag(key);
    const met = other?.on === true && evaluate(other, context, data, depth + 1).variation === variation;
    if (!met) return off(flag, { kind: 'PREREQUISITE_FAILED', prerequisiteKey: key });
  }
  const target = targetOf(flag, context);
  if (target !== undefined) return chosen(flag, target.variation, { kind: 'TARGET_MATCH' });
  for (const [ruleIndex, rule] of (flag.rules ?? []).entries())
    if ((rule.clauses ?? []).every((clause) => clauseHolds(clause, context, data)))
      return served(flag, rule, context, {
        kind: 'RULE_MATCH',
        ruleIndex,
        ...(rule.id === undefined ? {} : { ruleId: rule.id }),
      });
  return served(flag, flag.fallthrough ?? {}, context, { kind: 'FALLTHROUGH' });
}

function failed(errorKind) {
  return { value: null, variation: null, reason: { kind: 'ERROR', errorKind } };
}

function off(flag, reason) {
  const { offVariation } = flag;
  if (offVariation === undefined || offVariation === null) return { value: null, variation: null, reason };
  return chosen(flag, offVariation, reason);
}

function chosen(flag, variation, reason) {
  if (!Number.isInteger(variation) || variation < 0 || variation >= flag.variations.length)
    return failed('MALFORMED_FLAG');
  return { value: flag.variations[variation], variation, reason };
}

function targetOf({ targets = [], contextTargets = [] }, context) {
  const has = ({ values }, kind) => values.includes(keyOf(context, kind));
  if (contextTargets.length === 0) return targets.find((target) => has(target, 'user'));
  for (const target of contextTargets) {
    const { contextKind: kind = 'user', variation } = target;
    // Those of users stand among the targets.
    const meant =
      kind === 'user' && target.values.length === 0
        ? targets.find((each) => each.variation === variation)
        : target;
    if (meant !== undefined && has(meant, kind)) return target;
  }
  return undefined;
}

function served(flag, { variation, rollout }, context, reason) {
  if (Number.isInteger(variation)) return chosen(flag, variation, reason);
  if (!Array.isArray(rollout?.variations) || rollout.variations.length === 0) return failed('MALFORMED_FLAG');
  const { kind, seed, bucketBy, contextKind = 'user', variations } = rollout;
  const isExperiment = kind === 'experiment';
  const bucket = bucketOf(context, contextKind, isExperiment ? 'key' : bucketBy, {
    key: flag.key,
    salt: flag.salt,
    seed,
  });
  const found = variations.find(
    (
      (sum) =>
      ({ weight }) => {
        sum += weight / 100_000;
        return (bucket ?? 0) < sum;
      }
    )(0),
  );
  const { variation: at, untracked = false } = found ?? variations.at(-1);
  const inExperiment = isExperiment && bucket !== undefined && !untracked;
  return chosen(flag, at, inExperiment ? { ...reason, inExperiment } : reason);
}

/** Where in a rollout a context stands, 0 to 1; `undefined` for one that is not of the kind. */
function bucketOf(context, kind, attribute = 'key', { key, salt = '', seed }) {
  const one = contextsOf(context).find((each) => each.kind === kind);
  if (one === undefined) return undefined;
  const value = valueAt(one, attribute);
  if (typeof value !== 'string' && !Number.isInteger(value)) return 0;
  const text = seed === undefined ? `${key}.${salt}.${value}` : `${seed}.${value}`;
  const digits = createHash('sha1').update(text).digest('hex').slice(0, 15);
  return Number.parseInt(digits, 16) / 0xfffffffffffffff;
}

function clauseHolds(clause, context, data, seen = []) {
  const { op, negate = false, values = [] } = clause;
  if (op !== 'segmentMatch') return matches(clause, context);
  const isIn = values.some((key) => {
    const segment = data.segment(key);
    return segment !== undefined && !seen.includes(key) && inSegment(segment, context, data, [...seen, key]);
  });
  return isIn !== negate;
}

function inSegment(segment, context, data, seen) {
  const { included = [], excluded = [], includedContexts = [], excludedContexts = [], rules = [] } = segment;
  const names = (list, kind) => list.includes(keyOf(context, kind));
  const namesAny = (lists) => lists.some(({ contextKind = 'user', values }) => names(values, contextKind));
  if (names(included, 'user') || namesAny(includedContexts)) return true;
  if (names(excluded, 'user') || namesAny(excludedContexts)) return false;
  return rules.some(({ clauses = [], weight, bucketBy, rolloutContextKind = 'user' }) => {
    if (!clauses.every((clause) => clauseHolds(clause, context, data, seen))) return false;
    if (weight === undefined || weight === null) return true;
    const bucket = bucketOf(context, rolloutContextKind, bucketBy, { key: segment.key, salt: segment.salt });
    return (bucket ?? 0) < weight / 100_000;
  });
}
