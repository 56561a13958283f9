import { GithubError, keyOf } from './api.mjs';
import { FieldProblem, Obj } from './execute.mjs';
import { deliver } from './deliver.mjs';
import { addComment, addIssue, changeIssue, shownIssue } from './issues.mjs';
import { setLabels } from './labels.mjs';
import { issueObj, nodeOf } from './nodes.mjs';

/** A change by its `input`; what it refuses is an error of its field. */
const change =
  (act) =>
  (_, { input }, call) => {
    if (typeof input !== 'object' || input === null)
      throw new FieldProblem('INVALID', 'Field is missing required arguments: input');
    try {
      return new Obj('Payload', { clientMutationId: input.clientMutationId, ...act(call, input) });
    } catch (error) {
      if (!(error instanceof GithubError)) throw error;
      const [first] = error.fields.errors ?? [];
      throw new FieldProblem(
        error.status === 403 ? 'FORBIDDEN' : 'UNPROCESSABLE',
        first === undefined ? error.message : `${first.field ?? 'input'}: ${first.message ?? first.code}`,
      );
    }
  };

function rowOf(call, id) {
  const { source } = nodeOf(call, id);
  if (source.number === undefined)
    throw new FieldProblem(
      'NOT_FOUND',
      `Could not resolve to an issue or pull request with the global id of '${id}'`,
    );
  return { row: source, repo: call.rows('repos').get(source.repo) };
}

function turn(call, id, given) {
  const { row, repo } = rowOf(call, id);
  const { after, action } = changeIssue(call, repo, row, given);
  deliver(call, repo, 'issues', { action, issue: shownIssue(call, repo, after) });
  return { issue: issueObj(after) };
}

function namesOf(call, labelIds) {
  return labelIds.map((id) => {
    const key = keyOf(id)?.key;
    if (key !== undefined && call.rows('labels').has(key)) return call.rows('labels').get(key).name;
    throw new FieldProblem('NOT_FOUND', `Could not resolve to Label node with the global id of '${id}'.`);
  });
}

function relabel(call, { labelableId, labelIds = [] }, make) {
  const { row, repo } = rowOf(call, labelableId);
  setLabels(call, repo, row, make(row.labels, namesOf(call, labelIds)));
  return { labelable: issueObj(call.rows('issues').get(row.key)) };
}

export const MUTATIONS = {
  createIssue: change((call, { repositoryId, title, body, labelIds = [], assigneeIds = [] }) => {
    const { source: repo, type } = nodeOf(call, repositoryId);
    if (type !== 'Repository')
      throw new FieldProblem(
        'NOT_FOUND',
        `Could not resolve to a Repository with the global id of '${repositoryId}'`,
      );
    const labels = namesOf(call, labelIds);
    const assignees = assigneeIds.map((id) => keyOf(id)?.key);
    const row = addIssue(call, repo, { title, body, labels, assignees });
    deliver(call, repo, 'issues', { action: 'opened', issue: shownIssue(call, repo, row) });
    return { issue: issueObj(row) };
  }),
  updateIssue: change((call, { id, title, body, state }) =>
    turn(call, id, { title, body, state: state?.toLowerCase() }),
  ),
  closeIssue: change((call, { issueId, stateReason }) =>
    turn(call, issueId, { state: 'closed', state_reason: stateReason?.toLowerCase() }),
  ),
  reopenIssue: change((call, { issueId }) => turn(call, issueId, { state: 'open' })),
  addComment: change((call, { subjectId, body }) => {
    const { row, repo } = rowOf(call, subjectId);
    if (typeof body !== 'string' || body === '')
      throw new FieldProblem('UNPROCESSABLE', 'Body cannot be blank');
    const comment = new Obj('IssueComment', addComment(call, repo, row, body));
    return {
      commentEdge: new Obj('Edge', { node: comment, cursor: '' }),
      subject: issueObj(call.rows('issues').get(row.key)),
    };
  }),
  addLabelsToLabelable: change((call, input) =>
    relabel(call, input, (before, names) => [...before, ...names]),
  ),
  removeLabelsFromLabelable: change((call, input) =>
    relabel(call, input, (before, names) => before.filter((name) => !names.includes(name))),
  ),
};
