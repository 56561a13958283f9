import { isTree, listOf, treeOf, type Tree } from '../shared/values.js';

/** What going into a schema costs, whatever the value is. */
export const COST = 'cost';
/** What each character of a text costs. */
export const COST_OF_TEXT = 'costOfText';
/** What each item of a list costs. */
export const COST_OF_LIST = 'costOfList';
/** What each member of an object costs. */
export const COST_OF_MEMBERS = 'costOfMembers';

/** An alternative that does not fit makes an error that is thrown away. */
const ALTERNATIVE = 40;
/** Another schema of the same value. */
const SAME_VALUE = 4;
const ITEM = 2;
const MEMBER = 4;
const EXPRESSION = 40;
const CHARACTER = 2;

/**
 * What a translated schema costs, as keywords that are counted where a value meets it; what its inner schemas cost is counted by them.
 */
export function costsOf(made: Tree): Tree {
  const alternatives = [...listOf(made['anyOf']), ...listOf(made['oneOf'])].length;
  const beside = ['not', 'if', 'then', 'else'].filter((word) => made[word] !== undefined).length;
  const members = Object.keys(treeOf(made['properties'])).length;
  const dependent = Object.keys(treeOf(made['dependentSchemas'])).length;
  const fixed =
    alternatives * (ALTERNATIVE + alternatives / 8) +
    (listOf(made['allOf']).length + beside + dependent) * SAME_VALUE +
    members +
    listOf(made['required']).length;
  const expressions = Object.keys(treeOf(made['patternProperties'])).length;
  const looksAtAll = [
    'additionalProperties',
    'unevaluatedProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
  ].some((word) => made[word] !== undefined);
  const hasItems = ['items', 'prefixItems', 'contains', 'unevaluatedItems'].some(
    (word) => made[word] !== undefined,
  );
  const readsText = ['pattern', 'format'].some((word) => made[word] !== undefined);
  const { const: wanted } = made;
  return {
    ...(fixed > 0 || isTree(wanted) || Array.isArray(wanted) ? { [COST]: fixed + sizeOf(wanted) } : {}),
    ...(readsText ? { [COST_OF_TEXT]: CHARACTER } : {}),
    ...(hasItems ? { [COST_OF_LIST]: ITEM } : {}),
    ...(looksAtAll || expressions > 0 ? { [COST_OF_MEMBERS]: MEMBER + expressions * EXPRESSION } : {}),
  };
}

/** How many values are in one. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + sizeOf(inner), 1);
}
