import { created, invalid, nodeId, operation, page } from './api.mjs';
import { commitOf, repoOf } from './history.mjs';
import { shownRepo, userOf } from './people.mjs';
import { deliver } from './deliver.mjs';

const STATES = ['error', 'failure', 'pending', 'success'];

function shownStatus(call, repo, { key, repo: _, sha, creator, ...fields }) {
  return {
    ...fields,
    node_id: nodeId('SC', key),
    url: `${call.api}/repos/${repo.full_name}/statuses/${sha}`,
    creator: userOf(call, creator),
  };
}

export const createStatus = operation((call) => {
  const repo = repoOf(call);
  const { sha } = commitOf(call, repo, call.params.sha);
  const state = call.text('state', 'Status');
  if (!STATES.includes(state)) throw invalid('Status', 'state', 'invalid');
  const { context = 'default', description = null, target_url = null } = call.body;
  const id = call.nextId();
  const row = call.rows('statuses').create({
    key: String(id),
    id,
    repo: repo.full_name,
    sha,
    state,
    context,
    description,
    target_url,
    creator: call.login,
    created_at: call.now,
    updated_at: call.now,
  });
  deliver(call, repo, 'status', {
    id,
    sha,
    name: repo.full_name,
    state,
    context,
    description,
    target_url,
    commit: { sha },
    branches: [],
  });
  return created(shownStatus(call, repo, row));
});

const ofCommit = (call, repo, name) => {
  const { sha } = commitOf(call, repo, call.params.ref);
  return {
    sha,
    rows: call
      .of(name, repo)
      .filter((row) => row.sha === sha)
      .reverse(),
  };
};

export const listStatuses = operation(
  (call) => {
    const repo = repoOf(call);
    return page(
      call,
      ofCommit(call, repo, 'statuses').rows.map((row) => shownStatus(call, repo, row)),
    );
  },
  { open: true },
);

export const combined = operation(
  (call) => {
    const repo = repoOf(call);
    const { sha, rows } = ofCommit(call, repo, 'statuses');
    // Of each context the newest counts.
    const newest = [...new Map([...rows].reverse().map((row) => [row.context, row])).values()];
    const states = newest.map(({ state }) => state);
    const isBad = states.some((state) => state === 'error' || state === 'failure');
    const state = isBad
      ? 'failure'
      : states.length === 0 || states.includes('pending')
        ? 'pending'
        : 'success';
    return {
      state,
      sha,
      total_count: newest.length,
      statuses: newest.map((row) => shownStatus(call, repo, row)),
      repository: shownRepo(call, repo),
    };
  },
  { open: true },
);

function shownRun(call, repo, { key, repo: _, sha, ...fields }) {
  const url = `${call.api}/repos/${repo.full_name}/check-runs/${fields.id}`;
  return {
    ...fields,
    head_sha: sha,
    node_id: nodeId('CR', key),
    url,
    html_url: `https://github.com/${repo.full_name}/runs/${fields.id}`,
    app: { id: 1, slug: 'backlot', name: 'Backlot' },
    pull_requests: [],
  };
}

const FIELDS = [
  'name',
  'details_url',
  'external_id',
  'status',
  'started_at',
  'conclusion',
  'completed_at',
  'output',
];
const givenOf = (call) => {
  const given = Object.fromEntries(
    FIELDS.filter((name) => call.body[name] !== undefined).map((name) => [name, call.body[name]]),
  );
  if (given.status !== undefined && !['queued', 'in_progress', 'completed'].includes(given.status))
    throw invalid('CheckRun', 'status', 'invalid');
  if (given.status === 'completed' && given.conclusion === undefined) throw invalid('CheckRun', 'conclusion');
  if (given.conclusion === undefined) return given;
  return { ...given, status: 'completed', completed_at: given.completed_at ?? call.now };
};

export const createRun = operation((call) => {
  const repo = repoOf(call);
  call.text('name', 'CheckRun');
  const { sha } = commitOf(call, repo, call.text('head_sha', 'CheckRun'));
  const id = call.nextId();
  const usual = {
    status: 'queued',
    conclusion: null,
    started_at: call.now,
    completed_at: null,
    output: { title: null, summary: null, text: null, annotations_count: 0 },
  };
  const row = call
    .rows('checks')
    .create({ key: String(id), id, repo: repo.full_name, sha, ...usual, ...givenOf(call) });
  const run = shownRun(call, repo, row);
  deliver(call, repo, 'check_run', { action: 'created', check_run: run });
  return created(run);
});

const runOf = (call, repo) => call.findOf('checks', repo, call.params.check_run_id);

export const getRun = operation(
  (call) => {
    const repo = repoOf(call);
    return shownRun(call, repo, runOf(call, repo));
  },
  { open: true },
);

export const updateRun = operation((call) => {
  const repo = repoOf(call);
  const row = runOf(call, repo);
  const run = shownRun(call, repo, call.rows('checks').replace(row.key, { ...row, ...givenOf(call) }));
  if (run.status === 'completed') deliver(call, repo, 'check_run', { action: 'completed', check_run: run });
  return run;
});

export const listRuns = operation(
  (call) => {
    const repo = repoOf(call);
    const { check_name: name, status } = call.query;
    const rows = ofCommit(call, repo, 'checks').rows.filter(
      (row) => (name === undefined || row.name === name) && (status === undefined || row.status === status),
    );
    return page(
      call,
      rows.map((row) => shownRun(call, repo, row)),
      (runs) => ({ total_count: rows.length, check_runs: runs }),
    );
  },
  { open: true },
);
