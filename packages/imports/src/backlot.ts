import { invalid, type Imported, type Importer } from '@backlot/core/plugin';
import { isTree, memberOf, treeOf } from '@backlot/contracts';

/** What of a configuration is imported. */
const TAKEN = ['protocols', 'collections', 'state', 'reactions', 'data'];

/** Configuration files of Backlot and of Mockly: their mocks, collections and state. */
export const backlot: Importer = {
  format: 'backlot',
  title: 'Backlot or Mockly configuration',
  detect: ({ tree }) => {
    const protocols = memberOf(tree, 'protocols');
    if (!isTree(protocols) || !Object.values(protocols).some(isTree)) return undefined;
    return memberOf(tree, 'mockly') !== undefined || memberOf(tree, 'api') !== undefined ? 'sure' : 'likely';
  },
  *convert({ tree }, notes): Generator<undefined, Imported, undefined> {
    if (!isTree(tree)) throw invalid('a configuration is an object');
    for (const name of Object.keys(tree)) {
      if (!TAKEN.includes(name))
        notes.refused(`/${name}`, `"${name.slice(0, 100)}" counts at a start, and is not imported`);
    }
    yield;
    const { protocols, collections, state, reactions, data } = tree as Imported;
    for (const [name, block] of Object.entries(treeOf(protocols))) {
      if (!isTree(block))
        throw invalid(`protocols.${name} must be an object`, [
          { path: `/protocols/${name}`, message: 'must be an object' },
        ]);
      for (const [key, value] of Object.entries(block)) {
        if (Array.isArray(value) && !value.every(isTree))
          throw invalid(`protocols.${name}.${key} must be a list of objects`);
      }
    }
    for (const [key, value] of Object.entries(treeOf(state)))
      if (typeof value !== 'string') throw invalid(`state "${key}" must be a text`);
    if (collections !== undefined && !Object.values(treeOf(collections)).every(isTree))
      throw invalid('collections must be objects');
    if (reactions !== undefined && !isReactionList(reactions))
      throw invalid('reactions must be a list of objects that have "on" and "do"');
    return {
      ...(isTree(protocols) ? { protocols } : {}),
      ...(isTree(collections) ? { collections } : {}),
      ...(isTree(state) ? { state } : {}),
      ...(reactions === undefined ? {} : { reactions }),
      ...(isTree(data) ? { data: checkData(data) } : {}),
    };
  },
};

function isReactionList(value: unknown): value is NonNullable<Imported['reactions']> {
  return (
    Array.isArray(value) &&
    value.every((one) => {
      const actions = memberOf(one, 'do');
      return isTree(memberOf(one, 'on')) && Array.isArray(actions) && actions.every(isTree);
    })
  );
}

function checkData(data: NonNullable<Imported['data']>): NonNullable<Imported['data']> {
  for (const [kind, settings] of Object.entries(data)) {
    const isFit =
      isTree(settings) &&
      Object.values(settings).every((one: unknown) => {
        const entries = memberOf(one, 'entries');
        return (
          typeof memberOf(one, 'section') === 'string' && Array.isArray(entries) && entries.every(isTree)
        );
      });
    if (!isFit) throw invalid(`data.${kind} must be sections with lists of entries`);
  }
  return data;
}
