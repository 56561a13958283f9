import { created, GithubError, invalid, nodeId, NOTHING, notFound, operation, page, sorted } from './api.mjs';
import { addCommit, between, commitOf, filesOf, repoOf, shownCommit } from './history.mjs';
import { shownRepo, userOf } from './people.mjs';
import { deliver } from './deliver.mjs';
import { addIssue, changeIssue, issueOf, shownIssue } from './issues.mjs';

function pullOf(call, repo) {
  const row = issueOf(call, repo);
  if (row.pull === undefined) throw notFound();
  return row;
}

/** The commits of both sides: as they are while it is open, and as they were at its end. */
function sides(call, repo, { pull }) {
  const base = commitOf(call, repo, pull.base_sha ?? pull.base);
  const head = commitOf(call, repo, pull.head_sha ?? pull.head);
  return { base, head, ...between(call, repo, base, head) };
}

export function shownPull(call, repo, row) {
  const { pull } = row;
  const { base, head, ahead, sha: common } = sides(call, repo, row);
  const issue = shownIssue(call, repo, row);
  const side = (ref, sha) => ({
    label: `${repo.full_name.split('/')[0]}:${ref}`,
    ref,
    sha,
    user: userOf(call, repo.full_name.split('/')[0]),
    repo: shownRepo(call, repo),
  });
  const url = `${call.api}/repos/${repo.full_name}/pulls/${row.number}`;
  const files = filesOf(call, common === undefined ? {} : commitOf(call, repo, common).tree, head.tree);
  const isOpen = row.state === 'open';
  const { pull_request: _, ...fields } = issue;
  return {
    ...fields,
    url,
    diff_url: `${issue.html_url}.diff`,
    issue_url: issue.url,
    statuses_url: `${call.api}/repos/${repo.full_name}/statuses/${head.sha}`,
    head: side(pull.head, head.sha),
    base: side(pull.base, base.sha),
    draft: pull.draft,
    merged: pull.merged_at !== null,
    merged_at: pull.merged_at,
    merged_by: pull.merged_by === null ? null : userOf(call, pull.merged_by),
    merge_commit_sha: pull.merge_sha,
    mergeable: isOpen ? !hasConflict(call, repo, row) : null,
    mergeable_state: isOpen && hasConflict(call, repo, row) ? 'dirty' : pull.draft ? 'draft' : 'clean',
    rebaseable: isOpen,
    requested_reviewers: pull.reviewers.map((login) => userOf(call, login)),
    requested_teams: [],
    commits: ahead.length,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: files.length,
    review_comments: 0,
  };
}

/** Puts fields over what makes an issue a pull request. */
function setPull(call, row, fields, others = {}) {
  return call.rows('issues').replace(row.key, { ...row, ...others, pull: { ...row.pull, ...fields } });
}

/** Whether both sides have changed the same file in different ways. */
function hasConflict(call, repo, row) {
  const { base, head, sha: common } = sides(call, repo, row);
  const from = common === undefined ? {} : commitOf(call, repo, common).tree;
  return Object.keys({ ...base.tree, ...head.tree }).some(
    (path) =>
      base.tree[path] !== from[path] && head.tree[path] !== from[path] && base.tree[path] !== head.tree[path],
  );
}

export const list = operation(
  (call) => {
    const repo = repoOf(call);
    const { state = 'open', head, base } = call.query;
    const rows = call
      .of('issues', repo)
      .filter(
        ({ pull, state: own }) =>
          pull !== undefined &&
          (state === 'all' || state === own) &&
          (base === undefined || pull.base === base) &&
          (head === undefined || pull.head === head.replace(/^[^:]*:/, '')),
      );
    return page(
      call,
      sorted(rows, call.query).map((row) => shownPull(call, repo, row)),
    );
  },
  { open: true },
);

export const create = operation((call) => {
  const repo = repoOf(call);
  const { title, body = null, draft = false } = call.body;
  const head = call.text('head', 'PullRequest').replace(/^[^:]*:/, '');
  const base = call.text('base', 'PullRequest');
  const refs = call.rows('refs');
  for (const [field, name] of Object.entries({ head, base }))
    if (!refs.has(`${repo.full_name}:heads/${name}`)) throw invalid('PullRequest', field, 'invalid');
  const { ahead } = between(call, repo, commitOf(call, repo, base), commitOf(call, repo, head));
  if (ahead.length === 0)
    throw invalid('PullRequest', undefined, 'custom', `No commits between ${base} and ${head}`);
  const isThere = ({ pull, state }) => state === 'open' && pull?.head === head && pull.base === base;
  if (call.of('issues', repo).some(isThere))
    throw invalid(
      'PullRequest',
      undefined,
      'custom',
      `A pull request already exists for ${repo.full_name.split('/')[0]}:${head}.`,
    );
  const pull = { head, base, draft, merged_at: null, merged_by: null, merge_sha: null, reviewers: [] };
  const made = shownPull(call, repo, addIssue(call, repo, { title, body, pull }));
  deliver(call, repo, 'pull_request', { action: 'opened', number: made.number, pull_request: made });
  return created(made);
});

export const get = operation(
  (call) => {
    const repo = repoOf(call);
    return shownPull(call, repo, pullOf(call, repo));
  },
  { open: true },
);

/** What a pull request keeps at its end, so that it goes on showing what it was about. */
function ending(call, repo, row) {
  const { base, head } = sides(call, repo, row);
  return { ...row.pull, base_sha: base.sha, head_sha: head.sha };
}

export const update = operation((call) => {
  const repo = repoOf(call);
  const row = pullOf(call, repo);
  const { state, base } = call.body;
  if (row.pull.merged_at !== null && state === 'open') throw invalid('PullRequest', 'state', 'invalid');
  const kept = state === 'closed' && row.state === 'open' ? ending(call, repo, row) : undefined;
  const open = state === 'open' ? { base_sha: undefined, head_sha: undefined } : {};
  const { after, action } = changeIssue(call, repo, row, call.body);
  const pull = shownPull(
    call,
    repo,
    setPull(call, after, { ...kept, ...open, ...(base === undefined ? {} : { base }) }),
  );
  deliver(call, repo, 'pull_request', { action, number: row.number, pull_request: pull });
  return pull;
});

export const listCommits = operation(
  (call) => {
    const repo = repoOf(call);
    const { ahead } = sides(call, repo, pullOf(call, repo));
    return page(
      call,
      ahead.reverse().map((row) => shownCommit(call, repo, row)),
    );
  },
  { open: true },
);

export const listFiles = operation(
  (call) => {
    const repo = repoOf(call);
    const { head, sha } = sides(call, repo, pullOf(call, repo));
    return page(call, filesOf(call, sha === undefined ? {} : commitOf(call, repo, sha).tree, head.tree));
  },
  { open: true },
);

export const isMerged = operation(
  (call) => {
    if (pullOf(call, repoOf(call)).pull.merged_at === null) throw notFound();
    return NOTHING;
  },
  { open: true },
);

export const merge = operation((call) => {
  const repo = repoOf(call);
  const row = pullOf(call, repo);
  const { sha, commit_title: title, commit_message: text, merge_method: method = 'merge' } = call.body;
  const { base, head, sha: common } = sides(call, repo, row);
  if (row.state !== 'open' || row.pull.draft) throw new GithubError(405, 'Pull Request is not mergeable');
  if (sha !== undefined && sha !== head.sha)
    throw new GithubError(409, 'Head branch was modified. Review and try the merge again.');
  if (hasConflict(call, repo, row)) throw new GithubError(405, 'Merge conflict');
  if (!['merge', 'squash', 'rebase'].includes(method))
    throw invalid('PullRequest', 'merge_method', 'invalid');
  const from = common === undefined ? {} : commitOf(call, repo, common).tree;
  const tree = { ...base.tree };
  for (const path of Object.keys({ ...from, ...head.tree })) {
    if (head.tree[path] === from[path]) continue;
    if (head.tree[path] === undefined) delete tree[path];
    else tree[path] = head.tree[path];
  }
  const usual =
    method === 'merge'
      ? `Merge pull request #${row.number} from ${row.pull.head}`
      : `${row.title} (#${row.number})`;
  const message = [title ?? usual, text].filter(Boolean).join('\n\n');
  const kept = ending(call, repo, row);
  const parents = method === 'merge' ? [base.sha, head.sha] : [base.sha];
  const commit = addCommit(call, repo, row.pull.base, { message, tree, parents });
  const pull = { ...kept, merged_at: call.now, merged_by: call.login, merge_sha: commit.sha };
  const after = setPull(call, row, pull, { state: 'closed', closed_at: call.now, updated_at: call.now });
  deliver(call, repo, 'pull_request', {
    action: 'closed',
    number: row.number,
    pull_request: shownPull(call, repo, after),
  });
  return { sha: commit.sha, merged: true, message: 'Pull Request successfully merged' };
});

export const requestReviewers = operation((call) => {
  const repo = repoOf(call);
  const row = pullOf(call, repo);
  const { reviewers = [] } = call.body;
  if (reviewers.includes(row.user))
    throw new GithubError(422, 'Review cannot be requested from pull request author.');
  const all = [...new Set([...row.pull.reviewers, ...reviewers.map(String)])];
  return created(shownPull(call, repo, setPull(call, row, { reviewers: all })));
});

function shownReview(call, repo, { key, repo: _, number, user, ...fields }) {
  return {
    ...fields,
    node_id: nodeId('PRR', key),
    user: userOf(call, user),
    html_url: `https://github.com/${repo.full_name}/pull/${number}#pullrequestreview-${fields.id}`,
    pull_request_url: `${call.api}/repos/${repo.full_name}/pulls/${number}`,
  };
}

const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' };

export const listReviews = operation(
  (call) => {
    const repo = repoOf(call);
    const { number } = pullOf(call, repo);
    return page(
      call,
      call
        .of('reviews', repo)
        .filter((row) => row.number === number)
        .map((row) => shownReview(call, repo, row)),
    );
  },
  { open: true },
);

export const createReview = operation((call) => {
  const repo = repoOf(call);
  const row = pullOf(call, repo);
  const { event, body = '' } = call.body;
  if (event !== undefined && !Object.hasOwn(STATES, event))
    throw invalid('PullRequestReview', 'event', 'invalid');
  if (event === 'APPROVE' && row.user === call.login)
    throw new GithubError(422, 'Can not approve your own pull request');
  if (event === 'REQUEST_CHANGES' && body === '') throw invalid('PullRequestReview', 'body');
  const id = call.nextId();
  const state = event === undefined ? 'PENDING' : STATES[event];
  const { head } = sides(call, repo, row);
  const made = call.rows('reviews').create({
    key: String(id),
    id,
    repo: repo.full_name,
    number: row.number,
    user: call.login,
    body,
    state,
    commit_id: head.sha,
    submitted_at: call.now,
  });
  const review = shownReview(call, repo, made);
  deliver(call, repo, 'pull_request_review', {
    action: 'submitted',
    review: { ...review, state: state.toLowerCase() },
    pull_request: shownPull(call, repo, row),
  });
  return review;
});

export const dismissReview = operation((call) => {
  const repo = repoOf(call);
  pullOf(call, repo);
  const { key } = call.find('reviews', call.params.review_id);
  call.text('message', 'PullRequestReview');
  return shownReview(call, repo, call.rows('reviews').update(key, { state: 'DISMISSED' }));
});
