import { textOf, type Tree } from '@backlot/contracts';

const STARTED = 'Started';

/** What a stub of a scenario asks of the state, and what it sets. Scenarios begin in the state `Started`. */
export function scenarioOf(stub: Tree, state: Record<string, string>): Tree {
  const name = textOf(stub['scenarioName']);
  if (name === undefined) return {};
  const key = `scenario:${name.replaceAll('{{', '{')}`;
  state[key] = STARTED;
  const required = textOf(stub['requiredScenarioState']);
  const next = textOf(stub['newScenarioState']);
  return {
    ...(required === undefined ? {} : { state: { key, value: required } }),
    ...(next === undefined ? {} : { set_state: { [key]: next.replaceAll('{{', '{') } }),
  };
}
