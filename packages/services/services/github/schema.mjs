import { GithubError, nodeId } from './api.mjs';
import { FieldProblem, Obj } from './execute.mjs';
import { commitOf, repoOf } from './history.mjs';
import { useLimit } from './limits.mjs';
import { labelsNamed } from './label-rows.mjs';
import { MUTATIONS } from './mutations.mjs';
import { issueObj, nodeOf, repoObj, userObj } from './nodes.mjs';
import { findIssues, readQuery } from './search.mjs';

const WEB = 'https://github.com';

const repoOfRow = (call, row) => call.rows('repos').get(row.repo);

function findRepo(call, full) {
  const [owner, repo] = String(full).split('/');
  try {
    return repoOf(call, { owner, repo });
  } catch (error) {
    if (!(error instanceof GithubError)) throw error;
    throw new FieldProblem('NOT_FOUND', `Could not resolve to a Repository with the name '${full}'.`);
  }
}

/** A connection: a part of a list, by cursors. */
function connect(list, { first, last, after, before }, name) {
  if (first === undefined && last === undefined)
    throw new FieldProblem(
      'MISSING_PAGINATION_BOUNDARIES',
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  for (const [key, value] of Object.entries({ first, last }))
    if (value !== undefined && (!Number.isInteger(value) || value < 0 || value > 100))
      throw new FieldProblem(
        'EXCESSIVE_PAGINATION',
        `Requesting ${value} records on the \`${name}\` connection exceeds the \`${key}\` limit of 100 records.`,
      );
  const cursors = list.map((_, index) => Buffer.from(`cursor:${index + 1}`).toString('base64'));
  const place = (cursor) => {
    const index = cursors.indexOf(cursor);
    if (index < 0)
      throw new FieldProblem(
        'INVALID_CURSOR_ARGUMENTS',
        `\`${cursor}\` does not appear to be a valid cursor.`,
      );
    return index;
  };
  let start = after === undefined || after === null ? 0 : place(after) + 1;
  let end = before === undefined || before === null ? list.length : place(before);
  if (first !== undefined) end = Math.min(end, start + first);
  else start = Math.max(start, end - last);
  const nodes = list.slice(start, end);
  const edges = nodes.map((node, index) => new Obj('Edge', { node, cursor: cursors[start + index] }));
  const info = {
    hasNextPage: end < list.length,
    hasPreviousPage: start > 0,
    startCursor: cursors[start] ?? null,
    endCursor: cursors[end - 1] ?? null,
  };
  return new Obj('Connection', { nodes, edges, total: list.length, info });
}

const plain = (...names) => Object.fromEntries(names.map((name) => [name, (source) => source[name]]));
const dated = { createdAt: (row) => row.created_at, updatedAt: (row) => row.updated_at };

const issueFields = {
  ...dated,
  ...plain('number', 'title', 'locked'),
  id: (row) => nodeId(row.pull === undefined ? 'I' : 'PR', row.key),
  databaseId: (row) => row.id,
  body: (row) => row.body ?? '',
  bodyText: (row) => row.body ?? '',
  closed: (row) => row.state === 'closed',
  closedAt: (row) => row.closed_at,
  url: (row) => `${WEB}/${row.repo}/${row.pull === undefined ? 'issues' : 'pull'}/${row.number}`,
  author: (row, _, call) => userObj(call, row.user),
  repository: (row, _, call) => repoObj(repoOfRow(call, row)),
  assignees: (row, args, call) =>
    connect(
      row.assignees.map((login) => userObj(call, login)),
      args,
      'assignees',
    ),
  labels: (row, args, call) =>
    connect(
      labelsNamed(call, repoOfRow(call, row), row.labels).map((label) => new Obj('Label', label)),
      args,
      'labels',
    ),
  comments: (row, args, call) =>
    connect(
      call
        .of('comments', repoOfRow(call, row))
        .filter(({ number }) => number === row.number)
        .map((one) => new Obj('IssueComment', one)),
      args,
      'comments',
    ),
};

const byState = (row, states) =>
  states === undefined || states === null || [states].flat().includes(stateOf(row));
const stateOf = (row) => (row.pull?.merged_at ? 'MERGED' : row.state.toUpperCase());

function issuesOf(call, repo, { states, labels, orderBy, ...args }, isWanted, name) {
  const rows = call.of('issues', repo).filter((row) => isWanted(row) && byState(row, states));
  const found = rows.filter(
    (row) =>
      labels === undefined || labels === null || [labels].flat().some((label) => row.labels.includes(label)),
  );
  if (orderBy?.direction === 'DESC') found.reverse();
  return connect(found.map(issueObj), args, name);
}

function numbered(call, repo, number, isWanted, title) {
  const key = `${repo.full_name}#${number}`;
  const rows = call.rows('issues');
  if (rows.has(key) && isWanted(rows.get(key))) return issueObj(rows.get(key));
  throw new FieldProblem('NOT_FOUND', `Could not resolve to ${title} with the number of ${number}.`);
}

const isIssue = ({ pull }) => pull === undefined;
const isPull = ({ pull }) => pull !== undefined;
const people = {
  id: (row) => row.node_id,
  login: (row) => row.login,
  databaseId: (row) => row.id,
  url: (row) => row.html_url,
  avatarUrl: (row) => row.avatar_url,
  name: (row, _, call) =>
    call.rows('users').has(row.login) ? (call.rows('users').get(row.login).name ?? null) : null,
  email: (row, _, call) =>
    call.rows('users').has(row.login) ? (call.rows('users').get(row.login).email ?? '') : '',
  repositories: (row, args, call) =>
    connect(
      call
        .rows('repos')
        .list()
        .filter(({ full_name: name }) => name.startsWith(`${row.login}/`))
        .map(repoObj),
      args,
      'repositories',
    ),
};

const types = {
  Query: {
    viewer: (_, __, call) => userObj(call, call.login),
    repository: (_, { owner, name }, call) => repoObj(findRepo(call, `${owner}/${name}`)),
    user: (_, { login }, call) => {
      if (call.rows('users').has(String(login))) return userObj(call, login);
      throw new FieldProblem('NOT_FOUND', `Could not resolve to a User with the login of '${login}'.`);
    },
    node: (_, { id }, call) => nodeOf(call, id),
    nodes: (_, { ids = [] }, call) => ids.map((id) => nodeOf(call, id)),
    rateLimit: (_, __, call) => new Obj('RateLimit', useLimit(call, 0)),
    search: (_, { query, type, ...args }, call) => {
      if (type !== 'ISSUE')
        throw new FieldProblem('INVALID', 'Only issues and pull requests are searched here, by type: ISSUE');
      const found = findIssues(call, readQuery(query)).map(({ row }) => issueObj(row));
      const { source } = connect(found, args, 'search');
      return new Obj('Connection', source);
    },
  },
  Mutation: MUTATIONS,
  User: people,
  Repository: {
    ...dated,
    id: (row) => nodeId('R', row.full_name),
    databaseId: (row) => row.id,
    name: (row) => row.full_name.split('/')[1],
    nameWithOwner: (row) => row.full_name,
    owner: (row, _, call) => userObj(call, row.full_name.split('/')[0]),
    description: (row) => row.description,
    url: (row) => `${WEB}/${row.full_name}`,
    isPrivate: (row) => row.private,
    isArchived: (row) => row.archived,
    stargazerCount: (row) => row.stargazers_count,
    pushedAt: (row) => row.pushed_at,
    defaultBranchRef: (row, _, call) => refOf(call, row, `heads/${row.default_branch}`),
    ref: (row, { qualifiedName: name }, call) => refOf(call, row, String(name).replace(/^refs\//, '')),
    object: (row, { expression = row.default_branch }, call) => objectOf(call, row, String(expression)),
    issue: (row, { number }, call) => numbered(call, row, number, isIssue, 'an Issue'),
    issues: (row, args, call) => issuesOf(call, row, args, isIssue, 'issues'),
    pullRequest: (row, { number }, call) => numbered(call, row, number, isPull, 'a PullRequest'),
    pullRequests: (row, args, call) => issuesOf(call, row, args, isPull, 'pullRequests'),
    labels: (row, args, call) =>
      connect(
        call.of('labels', row).map((label) => new Obj('Label', label)),
        args,
        'labels',
      ),
    releases: (row, args, call) =>
      connect(
        call.of('releases', row).map((one) => new Obj('Release', one)),
        args,
        'releases',
      ),
    latestRelease: (row, _, call) => {
      const found = call.of('releases', row).findLast(({ draft, prerelease }) => !draft && !prerelease);
      return found === undefined ? null : new Obj('Release', found);
    },
  },
  Issue: { ...issueFields, state: stateOf, stateReason: (row) => row.state_reason?.toUpperCase() ?? null },
  PullRequest: {
    ...issueFields,
    state: stateOf,
    isDraft: (row) => row.pull.draft,
    merged: (row) => row.pull.merged_at !== null,
    mergedAt: (row) => row.pull.merged_at,
    headRefName: (row) => row.pull.head,
    baseRefName: (row) => row.pull.base,
    headRefOid: (row, _, call) =>
      commitOf(call, repoOfRow(call, row), row.pull.head_sha ?? row.pull.head).sha,
    reviews: (row, args, call) =>
      connect(
        call
          .of('reviews', repoOfRow(call, row))
          .filter(({ number }) => number === row.number)
          .map((one) => new Obj('PullRequestReview', one)),
        args,
        'reviews',
      ),
  },
  PullRequestReview: {
    ...plain('body', 'state'),
    id: (row) => nodeId('PRR', row.key),
    author: (row, _, call) => userObj(call, row.user),
    submittedAt: (row) => row.submitted_at,
  },
  IssueComment: {
    ...dated,
    ...plain('body'),
    id: (row) => nodeId('IC', row.key),
    databaseId: (row) => row.id,
    author: (row, _, call) => userObj(call, row.user),
    url: (row) => `${WEB}/${row.repo}/issues/${row.number}#issuecomment-${row.id}`,
  },
  Label: { ...plain('name', 'color', 'description'), id: (row) => nodeId('LA', row.key) },
  Release: {
    ...plain('name'),
    id: (row) => nodeId('RE', row.key),
    tagName: (row) => row.tag_name,
    description: (row) => row.body,
    isDraft: (row) => row.draft,
    isPrerelease: (row) => row.prerelease,
    createdAt: (row) => row.created_at,
    publishedAt: (row) => row.published_at,
  },
  Ref: {
    ...plain('name', 'prefix'),
    id: (ref) => nodeId('REF', ref.name),
    target: (ref) => new Obj('Commit', ref.commit),
  },
  Commit: {
    ...plain('message'),
    id: (row) => nodeId('C', row.key),
    oid: (row) => row.sha,
    abbreviatedOid: (row) => row.sha.slice(0, 7),
    committedDate: (row) => row.author.date,
    messageHeadline: (row) => row.message.split('\n', 1)[0],
  },
  Blob: { ...plain('text', 'oid'), byteSize: (blob) => blob.size, isBinary: (blob) => blob.text === null },
  Connection: {
    nodes: ({ nodes }) => nodes,
    edges: ({ edges }) => edges,
    totalCount: ({ total }) => total,
    issueCount: ({ total }) => total,
    pageInfo: ({ info }) => new Obj('PageInfo', info),
  },
  Edge: plain('node', 'cursor'),
  PageInfo: plain('hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'),
  RateLimit: {
    ...plain('limit', 'remaining', 'used'),
    cost: () => 1,
    nodeCount: () => 0,
    resetAt: ({ reset }) => new Date(reset * 1000).toISOString(),
  },
  Payload: {
    clientMutationId: ({ clientMutationId = null }) => clientMutationId,
    ...plain('issue', 'labelable', 'commentEdge', 'subject', 'pullRequest'),
  },
};

function refOf(call, repo, name) {
  const rows = call.rows('refs');
  const key = `${repo.full_name}:${name}`;
  if (!rows.has(key)) return null;
  const [prefix, ...rest] = name.split('/');
  return new Obj('Ref', {
    name: rest.join('/'),
    prefix: `refs/${prefix}/`,
    commit: commitOf(call, repo, name),
  });
}

/** A commit by its name, or a file by `name:path`. */
function objectOf(call, repo, expression) {
  const [, name, path] = /^([^:]*)(?::(.*))?$/s.exec(expression);
  try {
    const commit = commitOf(call, repo, name === 'HEAD' ? undefined : name);
    if (path === undefined) return new Obj('Commit', commit);
    if (!Object.hasOwn(commit.tree, path)) return null;
    const { key, size, content } = call.rows('blobs').get(commit.tree[path]);
    return new Obj('Blob', { oid: key, size, text: Buffer.from(content, 'base64').toString() });
  } catch (error) {
    if (error instanceof GithubError) return null;
    throw error;
  }
}

const NODE_TYPES = [
  'Repository',
  'Issue',
  'PullRequest',
  'User',
  'IssueComment',
  'Label',
  'Release',
  'Ref',
  'Commit',
  'PullRequestReview',
];

export const SCHEMA = {
  types,
  interfaces: {
    Node: NODE_TYPES,
    Actor: ['User'],
    RepositoryOwner: ['User'],
    GitObject: ['Commit', 'Blob'],
    Labelable: ['Issue', 'PullRequest'],
    Comment: ['Issue', 'PullRequest', 'IssueComment'],
  },
};
