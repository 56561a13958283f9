import { created, GithubError, invalid, NOTHING, nodeId, operation, page, sorted } from './api.mjs';
import { repoOf } from './history.mjs';
import { userOf } from './people.mjs';
import { deliver } from './deliver.mjs';
import { labelsNamed, shownLabel } from './label-rows.mjs';

export const issueKey = (repo, number) => `${repo.full_name}#${number}`;

/** An issue, or the pull request of that number. @throws GithubError 404 */
export function issueOf(call, repo, number = call.params.number) {
  return call.find('issues', issueKey(repo, number));
}

export function shownIssue(call, repo, row) {
  const { key, repo: _, pull, labels = [], assignees = [], user, milestone = null, ...fields } = row;
  const url = `${call.api}/repos/${repo.full_name}/issues/${row.number}`;
  const pullUrl = `${call.api}/repos/${repo.full_name}/pulls/${row.number}`;
  const people = assignees.map((login) => userOf(call, login));
  const mile =
    milestone === null
      ? null
      : (call.of('milestones', repo).find(({ number }) => number === milestone) ?? null);
  return {
    ...fields,
    node_id: nodeId(pull === undefined ? 'I' : 'PR', key),
    url,
    repository_url: `${call.api}/repos/${repo.full_name}`,
    comments_url: `${url}/comments`,
    labels_url: `${url}/labels{/name}`,
    html_url: `https://github.com/${repo.full_name}/${pull === undefined ? 'issues' : 'pull'}/${row.number}`,
    user: userOf(call, user),
    labels: labelsNamed(call, repo, labels).map((label) => shownLabel(call, repo, label)),
    assignees: people,
    assignee: people[0] ?? null,
    milestone: mile === null ? null : shownMilestone(call, repo, mile),
    author_association: 'OWNER',
    ...(pull === undefined ? {} : { pull_request: { url: pullUrl, merged_at: pull.merged_at } }),
  };
}

const isIssue = ({ pull }) => pull === undefined;

export const list = operation(
  (call) => {
    const repo = repoOf(call);
    const { state = 'open', labels = '', assignee, creator, since, milestone } = call.query;
    const wanted = labels.split(',').filter(Boolean);
    const rows = call.of('issues', repo).filter((row) => {
      const people = row.assignees ?? [];
      return (
        (state === 'all' || row.state === state) &&
        wanted.every((name) => row.labels.includes(name)) &&
        (assignee === undefined ||
          (assignee === 'none'
            ? people.length === 0
            : assignee === '*'
              ? people.length > 0
              : people.includes(assignee))) &&
        (creator === undefined || row.user === creator) &&
        (milestone === undefined || milestone === '*' || String(row.milestone) === milestone) &&
        (since === undefined || Date.parse(row.updated_at) >= Date.parse(since))
      );
    });
    return page(
      call,
      sorted(rows, call.query).map((row) => shownIssue(call, repo, row)),
    );
  },
  { open: true },
);

/** Adds an issue, or what a pull request is beside one. */
export function addIssue(
  call,
  repo,
  { title, body = null, labels = [], assignees = [], milestone = null, pull },
) {
  if (typeof title !== 'string' || title.trim() === '') throw invalid('Issue', 'title');
  const names = labels.map((label) => (typeof label === 'string' ? label : String(label?.name)));
  labelsNamed(call, repo, names, { make: true });
  for (const login of assignees)
    if (!call.rows('users').has(String(login))) throw invalid('Issue', 'assignees', 'invalid');
  const number = Math.max(0, ...call.of('issues', repo).map((row) => row.number)) + 1;
  return call.rows('issues').create({
    key: issueKey(repo, number),
    repo: repo.full_name,
    id: call.nextId(),
    number,
    title,
    body,
    state: 'open',
    state_reason: null,
    locked: false,
    comments: 0,
    labels: names,
    assignees,
    milestone,
    user: call.login,
    created_at: call.now,
    updated_at: call.now,
    closed_at: null,
    ...(pull === undefined ? {} : { pull }),
  });
}

export const create = operation((call) => {
  const repo = repoOf(call);
  if (repo.has_issues === false) throw new GithubError(410, 'Issues are disabled for this repo');
  const row = addIssue(call, repo, call.body);
  const issue = shownIssue(call, repo, row);
  deliver(call, repo, 'issues', { action: 'opened', issue });
  return created(issue);
});

export const get = operation(
  (call) => {
    const repo = repoOf(call);
    return shownIssue(call, repo, issueOf(call, repo));
  },
  { open: true },
);

/** Changes an issue, and tells who listens. */
export function changeIssue(call, repo, row, given) {
  const { state, labels, title } = given;
  if (title !== undefined && (typeof title !== 'string' || title === ''))
    throw invalid('Issue', 'title', 'invalid');
  if (state !== undefined && !['open', 'closed'].includes(state)) throw invalid('Issue', 'state', 'invalid');
  const names = labels?.map((label) => (typeof label === 'string' ? label : String(label?.name)));
  if (names !== undefined) labelsNamed(call, repo, names, { make: true });
  const fields = Object.fromEntries(
    ['title', 'body', 'assignees', 'milestone', 'state', 'state_reason']
      .filter((name) => given[name] !== undefined)
      .map((name) => [name, given[name]]),
  );
  const isTurned = state !== undefined && state !== row.state;
  const turned = isTurned
    ? {
        closed_at: state === 'closed' ? call.now : null,
        state_reason: given.state_reason ?? (state === 'closed' ? 'completed' : 'reopened'),
      }
    : {};
  const rows = call.rows('issues');
  rows.replace(row.key, {
    ...row,
    ...fields,
    ...turned,
    ...(names === undefined ? {} : { labels: names }),
    updated_at: call.now,
  });
  return {
    after: rows.get(row.key),
    action: isTurned ? (state === 'closed' ? 'closed' : 'reopened') : 'edited',
  };
}

export const update = operation((call) => {
  const repo = repoOf(call);
  const { after, action } = changeIssue(call, repo, issueOf(call, repo), call.body);
  const issue = shownIssue(call, repo, after);
  deliver(call, repo, 'issues', { action, issue });
  return issue;
});

const locking = (locked) =>
  operation((call) => {
    const repo = repoOf(call);
    call.rows('issues').update(issueOf(call, repo).key, { locked });
    return NOTHING;
  });
export const lock = locking(true);
export const unlock = locking(false);

const assigning = (change) =>
  operation((call) => {
    const repo = repoOf(call);
    const row = issueOf(call, repo);
    const { assignees } = call.body;
    if (!Array.isArray(assignees)) throw invalid('Issue', 'assignees');
    const after = call
      .rows('issues')
      .update(row.key, { assignees: change(row.assignees, assignees.map(String)) });
    const issue = shownIssue(call, repo, after);
    return change([], ['x']).length > 0 ? created(issue) : issue;
  });
export const assign = assigning((before, given) => [...new Set([...before, ...given])]);
export const unassign = assigning((before, given) => before.filter((login) => !given.includes(login)));

export function shownComment(call, repo, { key, repo: _, number, user, ...fields }) {
  const url = `${call.api}/repos/${repo.full_name}/issues/comments/${fields.id}`;
  return {
    ...fields,
    node_id: nodeId('IC', key),
    url,
    html_url: `https://github.com/${repo.full_name}/issues/${number}#issuecomment-${fields.id}`,
    issue_url: `${call.api}/repos/${repo.full_name}/issues/${number}`,
    user: userOf(call, user),
    author_association: 'OWNER',
  };
}

/** Adds a comment, and tells who listens. */
export function addComment(call, repo, issue, body) {
  if (issue.locked) throw new GithubError(403, 'Unable to create comment because issue is locked.');
  const id = call.nextId();
  const row = call.rows('comments').create({
    key: String(id),
    id,
    repo: repo.full_name,
    number: issue.number,
    user: call.login,
    body,
    created_at: call.now,
    updated_at: call.now,
  });
  const after = call.rows('issues').update(issue.key, { comments: issue.comments + 1, updated_at: call.now });
  deliver(call, repo, 'issue_comment', {
    action: 'created',
    issue: shownIssue(call, repo, after),
    comment: shownComment(call, repo, row),
  });
  return row;
}

const commentOf = (call, repo) => call.findOf('comments', repo, call.params.comment_id);

export const listComments = operation(
  (call) => {
    const repo = repoOf(call);
    const { number } = issueOf(call, repo);
    const rows = call.of('comments', repo).filter((row) => row.number === number);
    return page(
      call,
      rows.map((row) => shownComment(call, repo, row)),
    );
  },
  { open: true },
);
export const createComment = operation((call) => {
  const repo = repoOf(call);
  const issue = issueOf(call, repo);
  return created(shownComment(call, repo, addComment(call, repo, issue, call.text('body', 'IssueComment'))));
});
export const getComment = operation(
  (call) => {
    const repo = repoOf(call);
    return shownComment(call, repo, commentOf(call, repo));
  },
  { open: true },
);
export const updateComment = operation((call) => {
  const repo = repoOf(call);
  const { key } = commentOf(call, repo);
  const fields = { body: call.text('body', 'IssueComment'), updated_at: call.now };
  const comment = shownComment(call, repo, call.rows('comments').update(key, fields));
  deliver(call, repo, 'issue_comment', { action: 'edited', comment });
  return comment;
});
export const deleteComment = operation((call) => {
  const repo = repoOf(call);
  const row = commentOf(call, repo);
  call.rows('comments').remove(row.key);
  const issue = issueOf(call, repo, row.number);
  call.rows('issues').update(issue.key, { comments: Math.max(0, issue.comments - 1) });
  return NOTHING;
});

function shownMilestone(call, repo, { key: _, repo: __, ...fields }) {
  const url = `${call.api}/repos/${repo.full_name}/milestones/${fields.number}`;
  return { ...fields, url, html_url: `https://github.com/${repo.full_name}/milestone/${fields.number}` };
}
export const listMilestones = operation(
  (call) => {
    const repo = repoOf(call);
    return page(
      call,
      call.of('milestones', repo).map((row) => shownMilestone(call, repo, row)),
    );
  },
  { open: true },
);
export const createMilestone = operation((call) => {
  const repo = repoOf(call);
  const number = call.of('milestones', repo).length + 1;
  const { description = null, due_on = null, state = 'open' } = call.body;
  const row = {
    key: `${repo.full_name}#${number}`,
    repo: repo.full_name,
    id: call.nextId(),
    number,
    title: call.text('title', 'Milestone'),
    description,
    due_on,
    state,
    created_at: call.now,
  };
  return created(shownMilestone(call, repo, call.rows('milestones').create(row)));
});
