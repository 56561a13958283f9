import { keyOf } from './api.mjs';
import { FieldProblem, Obj } from './execute.mjs';
import { userOf } from './people.mjs';

export const userObj = (call, login) => new Obj('User', userOf(call, login));
export const repoObj = (row) => new Obj('Repository', row);
export const issueObj = (row) => new Obj(row.pull === undefined ? 'Issue' : 'PullRequest', row);
const NODES = {
  R: (call, key) => repoObj(call.rows('repos').get(key)),
  I: (call, key) => issueObj(call.rows('issues').get(key)),
  PR: (call, key) => issueObj(call.rows('issues').get(key)),
  U: (call, key) => userObj(call, key),
};
const ROWS = { R: 'repos', I: 'issues', PR: 'issues', U: 'users' };

/** The object with an id. @throws FieldProblem when there is none */
export function nodeOf(call, id) {
  const found = keyOf(id);
  if (found === undefined || !Object.hasOwn(NODES, found.type) || !call.rows(ROWS[found.type]).has(found.key))
    throw new FieldProblem('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
  return NODES[found.type](call, found.key);
}
