import { GithubError, invalid, nodeId, NOTHING, notFound, operation, page, Reply } from './api.mjs';
import { commitOf, repoOf } from './history.mjs';
import { userOf } from './people.mjs';
import { deliver } from './deliver.mjs';

/** The workflows of a repository: what it has as files below `.github/workflows`. */
function workflowsOf(call, repo) {
  const { tree } = commitOf(call, repo);
  return Object.keys(tree)
    .filter((path) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path))
    .map((path, index) => {
      const text = Buffer.from(call.find('blobs', tree[path]).content, 'base64').toString();
      const name = /^name:\s*(.+?)\s*$/m.exec(text)?.[1] ?? path;
      const id = index + 1;
      return {
        id,
        node_id: nodeId('W', `${repo.full_name}:${path}`),
        name,
        path,
        state: 'active',
        isDispatched: /\bworkflow_dispatch\b/.test(text),
        url: `${call.api}/repos/${repo.full_name}/actions/workflows/${id}`,
      };
    });
}

function workflowOf(call, repo) {
  const { workflow_id: wanted } = call.params;
  const found = workflowsOf(call, repo).find(
    ({ id, path }) => String(id) === wanted || path.endsWith(`/${wanted}`),
  );
  if (found === undefined) throw notFound();
  return found;
}

const shownWorkflow = ({ isDispatched: _, ...workflow }) => workflow;

export const listWorkflows = operation(
  (call) => {
    const all = workflowsOf(call, repoOf(call)).map(shownWorkflow);
    return page(call, all, (workflows) => ({ total_count: all.length, workflows }));
  },
  { open: true },
);
export const getWorkflow = operation((call) => shownWorkflow(workflowOf(call, repoOf(call))), { open: true });

/** Starts a run; it waits until the row of the run says otherwise, unless the variable `conclusion` is set. */
export const dispatch = operation((call) => {
  const repo = repoOf(call);
  const workflow = workflowOf(call, repo);
  const ref = call.text('ref', 'Workflow').replace(/^refs\/(heads|tags)\//, '');
  if (!workflow.isDispatched)
    throw new GithubError(422, "Workflow does not have 'workflow_dispatch' trigger");
  const { inputs = {} } = call.body;
  const refs = call.rows('refs');
  if (!['heads', 'tags'].some((kind) => refs.has(`${repo.full_name}:${kind}/${ref}`)))
    throw new GithubError(422, `No ref found for: ${ref}`);
  const id = call.nextId();
  const { conclusion } = call.context.vars.github;
  const row = call.rows('runs').create({
    key: String(id),
    id,
    repo: repo.full_name,
    name: workflow.name,
    path: workflow.path,
    workflow_id: workflow.id,
    head_branch: ref,
    head_sha: commitOf(call, repo, ref).sha,
    event: 'workflow_dispatch',
    inputs,
    run_number: call.of('runs', repo).length + 1,
    run_attempt: 1,
    status: conclusion === '' ? 'queued' : 'completed',
    conclusion: conclusion === '' ? null : conclusion,
    actor: call.login,
    created_at: call.now,
    updated_at: call.now,
  });
  deliver(call, repo, 'workflow_run', {
    action: conclusion === '' ? 'requested' : 'completed',
    workflow: shownWorkflow(workflow),
    workflow_run: shownRun(call, repo, row),
  });
  return NOTHING;
});

function shownRun(call, repo, { key, repo: _, actor, inputs: __, ...fields }) {
  const url = `${call.api}/repos/${repo.full_name}/actions/runs/${fields.id}`;
  return {
    ...fields,
    node_id: nodeId('WFR', key),
    url,
    html_url: `https://github.com/${repo.full_name}/actions/runs/${fields.id}`,
    actor: userOf(call, actor),
    triggering_actor: userOf(call, actor),
  };
}

const listing = (isWanted) =>
  operation(
    (call) => {
      const repo = repoOf(call);
      const { status, branch, event } = call.query;
      const rows = call.of('runs', repo).filter((row) => {
        const isStatus = status === undefined || row.status === status || row.conclusion === status;
        return (
          isWanted(row, call, repo) &&
          isStatus &&
          (branch === undefined || row.head_branch === branch) &&
          (event === undefined || row.event === event)
        );
      });
      return page(
        call,
        rows.reverse().map((row) => shownRun(call, repo, row)),
        (runs) => ({ total_count: rows.length, workflow_runs: runs }),
      );
    },
    { open: true },
  );
export const listRuns = listing(() => true);
export const listRunsOf = listing((row, call, repo) => row.workflow_id === workflowOf(call, repo).id);

const runOf = (call, repo) => call.findOf('runs', repo, call.params.run_id);

export const getRun = operation(
  (call) => {
    const repo = repoOf(call);
    return shownRun(call, repo, runOf(call, repo));
  },
  { open: true },
);

export const cancel = operation((call) => {
  const row = runOf(call, repoOf(call));
  if (row.status === 'completed')
    throw new GithubError(409, 'Cannot cancel a workflow run that is completed.');
  call.rows('runs').update(row.key, { status: 'completed', conclusion: 'cancelled', updated_at: call.now });
  return new Reply(202, {});
});

export const rerun = operation((call) => {
  const row = runOf(call, repoOf(call));
  if (row.status !== 'completed') throw new GithubError(403, 'This workflow is already running');
  call.rows('runs').replace(row.key, {
    ...row,
    status: 'queued',
    conclusion: null,
    run_attempt: row.run_attempt + 1,
    updated_at: call.now,
  });
  return new Reply(201, {});
});

export const repositoryDispatch = operation((call) => {
  const repo = repoOf(call);
  const action = call.text('event_type', 'Dispatch');
  const { client_payload: payload = {} } = call.body;
  if (Object.keys(payload).length > 10) throw invalid('Dispatch', 'client_payload', 'invalid');
  deliver(call, repo, 'repository_dispatch', {
    action,
    branch: repo.default_branch,
    client_payload: payload,
  });
  return NOTHING;
});
