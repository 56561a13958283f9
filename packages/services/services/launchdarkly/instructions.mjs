import { invalid } from './api.mjs';

/** The number of a variation that an instruction names by its id. */
function variationOf({ key, variations }, id) {
  const at = variations.findIndex((_, index) => id === `${key}-${index}`);
  if (at < 0) throw invalid(`there is no variation ${JSON.stringify(id)}`);
  return at;
}

function servedBy(flag, { variationId, rolloutWeights, rolloutBucketBy, rolloutContextKind }) {
  if (variationId !== undefined) return { variation: variationOf(flag, variationId) };
  if (typeof rolloutWeights !== 'object' || rolloutWeights === null)
    throw invalid('variationId or rolloutWeights is required');
  return {
    rollout: {
      variations: Object.entries(rolloutWeights).map(([id, weight]) => ({
        variation: variationOf(flag, id),
        weight,
      })),
      ...(rolloutBucketBy === undefined ? {} : { bucketBy: rolloutBucketBy }),
      ...(rolloutContextKind === undefined ? {} : { contextKind: rolloutContextKind }),
    },
  };
}

function retarget(flag, { variationId, values, contextKind = 'user' }, change) {
  if (!Array.isArray(values)) throw invalid('values must be a list');
  const variation = variationOf(flag, variationId);
  const isUser = contextKind === 'user';
  const field = isUser ? 'targets' : 'contextTargets';
  const isMeant = (target) =>
    target.variation === variation && (isUser || target.contextKind === contextKind);
  const others = flag[field].filter((target) => !isMeant(target));
  const left = change(flag[field].find(isMeant)?.values ?? [], values);
  const target = { ...(isUser ? {} : { contextKind }), variation, values: left };
  return { ...flag, [field]: left.length === 0 ? others : [...others, target] };
}

const withRule = (flag, { ruleId }, change) => {
  if (!flag.rules.some(({ id }) => id === ruleId))
    throw invalid(`there is no rule ${JSON.stringify(ruleId)}`);
  return { ...flag, rules: flag.rules.flatMap((rule) => (rule.id === ruleId ? change(rule) : [rule])) };
};

const INSTRUCTIONS = {
  turnFlagOn: (flag) => ({ ...flag, on: true }),
  turnFlagOff: (flag) => ({ ...flag, on: false }),
  updateFallthroughVariationOrRollout: (flag, given) => ({ ...flag, fallthrough: servedBy(flag, given) }),
  updateOffVariation: (flag, { variationId }) => ({ ...flag, offVariation: variationOf(flag, variationId) }),
  addTargets: (flag, given) => retarget(flag, given, (old, more) => [...new Set([...old, ...more])]),
  removeTargets: (flag, given) =>
    retarget(flag, given, (old, gone) => old.filter((key) => !gone.includes(key))),
  addRule: (flag, { clauses = [], ruleId, ...given }) => ({
    ...flag,
    rules: [
      ...flag.rules,
      { id: ruleId ?? `rule-${flag.version}-${flag.rules.length}`, clauses, ...servedBy(flag, given) },
    ],
  }),
  removeRule: (flag, given) => withRule(flag, given, () => []),
  updateRuleVariationOrRollout: (flag, given) =>
    withRule(flag, given, ({ id, clauses }) => [{ id, clauses, ...servedBy(flag, given) }]),
  addPrerequisite: (flag, { key, variationId }) => ({
    ...flag,
    prerequisites: [...flag.prerequisites, { key, variation: Number(String(variationId).split('-').at(-1)) }],
  }),
  removePrerequisite: (flag, { key }) => ({
    ...flag,
    prerequisites: flag.prerequisites.filter((each) => each.key !== key),
  }),
  updateName: (flag, { value }) => ({ ...flag, name: String(value) }),
  updateDescription: (flag, { value }) => ({ ...flag, description: String(value) }),
};

/** Does the instructions of a semantic patch, all of them or none. */
export function applyInstructions(flag, instructions) {
  return instructions.reduce((now, instruction) => {
    const { kind } = instruction ?? {};
    if (!Object.hasOwn(INSTRUCTIONS, kind))
      throw invalid(
        `instruction ${JSON.stringify(kind)} is not known; those that are: ${Object.keys(INSTRUCTIONS).join(', ')}`,
      );
    return INSTRUCTIONS[kind](now, instruction);
  }, flag);
}
