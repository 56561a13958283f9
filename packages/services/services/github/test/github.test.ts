import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { Octokit } from '@octokit/rest';

const backlot = useBacklot({ services: ['github'] });
const REPO = { owner: 'octocat', repo: 'hello-world' };
const nothing = (): undefined => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function connect(auth: string | undefined = backlot.env.GITHUB_TOKEN): Octokit {
  return new Octokit({ auth, baseUrl: backlot.env.GITHUB_API_URL, log: SILENT });
}

/** What a call throws: its status and message. */
async function errorOf(call: Promise<unknown>): Promise<[number | undefined, string | undefined]> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown as { status: number; message: string },
  );
  return [error?.status, error?.message];
}

const encode = (text: string): string => Buffer.from(text).toString('base64');

/** Puts a file on a branch, which is made of `main`, and gives the name of the commit. */
async function branchWith(octokit: Octokit, branch: string, path = 'a.txt', text = 'a'): Promise<void> {
  const { data } = await octokit.git.getRef({ ...REPO, ref: 'heads/main' });
  await octokit.git.createRef({ ...REPO, ref: `refs/heads/${branch}`, sha: data.object.sha });
  await octokit.repos.createOrUpdateFileContents({
    ...REPO,
    branch,
    path,
    message: `Add ${path}`,
    content: encode(text),
  });
}

describe('who calls', () => {
  it('is the person of the token, or nobody, who reads what is public', async () => {
    expect((await connect().users.getAuthenticated()).data).toMatchObject({ login: 'octocat', type: 'User' });
    expect((await connect('ghp_ann').users.getAuthenticated()).data.login).toBe('ann');
    const nobody = new Octokit({ baseUrl: backlot.env.GITHUB_API_URL, log: SILENT });
    const { headers } = await nobody.repos.get(REPO);
    expect(headers['x-ratelimit-limit']).toBe('60');
    expect(await errorOf(nobody.issues.create({ ...REPO, title: 'x' }))).toEqual([
      401,
      expect.stringContaining('Requires authentication'),
    ]);
    expect(await errorOf(connect('ghp_invalid').repos.get(REPO))).toEqual([
      401,
      expect.stringContaining('Bad credentials'),
    ]);
    const reader = connect('ghp_readonly');
    await reader.repos.get(REPO);
    expect((await errorOf(reader.issues.create({ ...REPO, title: 'x' })))[0]).toBe(403);
  });
});

describe('repositories', () => {
  it('are made, read, changed, listed and deleted', async () => {
    const octokit = connect();
    const { status, data } = await octokit.repos.createForAuthenticatedUser({
      name: 'tea shop',
      private: true,
      auto_init: true,
    });
    expect([status, data.full_name, data.visibility]).toEqual([201, 'octocat/tea-shop', 'private']);
    const own = { owner: 'octocat', repo: 'tea-shop' };
    await octokit.repos.update({ ...own, description: 'Tea' });
    await octokit.repos.replaceAllTopics({ ...own, names: ['tea'] });
    expect((await octokit.repos.get(own)).data).toMatchObject({
      description: 'Tea',
      topics: ['tea'],
      owner: { login: 'octocat' },
    });
    const anonymous = new Octokit({ baseUrl: backlot.env.GITHUB_API_URL, log: SILENT });
    expect((await errorOf(anonymous.repos.get(own)))[0]).toBe(404);
    const { data: all } = await octokit.repos.listForAuthenticatedUser();
    expect(all.map(({ name }) => name)).toEqual(['tea-shop', 'hello-world']);
    const again = octokit.repos.createForAuthenticatedUser({ name: 'tea-shop' });
    expect(await errorOf(again)).toEqual([422, expect.stringContaining('name already exists')]);
    await octokit.repos.delete(own);
    expect((await errorOf(octokit.repos.get(own)))[0]).toBe(404);
    await octokit.repos.createInOrg({ org: 'acme', name: 'kettle' });
    expect((await octokit.repos.listForOrg({ org: 'acme' })).data).toHaveLength(1);
  });

  it('have files, which are read, written by version and taken away', async () => {
    const { repos } = connect();
    const { data: readme } = await repos.getReadme(REPO);
    expect(Buffer.from(readme.content, 'base64').toString()).toBe('# Hello\n');
    const raw = await repos.getContent({ ...REPO, path: 'src/index.js', mediaType: { format: 'raw' } });
    expect(raw.data).toBe("console.log('hello');\n");
    const { data: folder } = await repos.getContent({ ...REPO, path: '' });
    expect((folder as { path: string; type: string }[]).map(({ path, type }) => [path, type])).toEqual([
      ['.github', 'dir'],
      ['README.md', 'file'],
      ['src', 'dir'],
    ]);
    const change = { ...REPO, path: 'README.md', message: 'Say more', content: encode('# Hello you\n') };
    expect(await errorOf(repos.createOrUpdateFileContents(change))).toEqual([
      422,
      expect.stringContaining("wasn't supplied"),
    ]);
    expect((await errorOf(repos.createOrUpdateFileContents({ ...change, sha: 'a'.repeat(40) })))[0]).toBe(
      409,
    );
    const { data: changed } = await repos.createOrUpdateFileContents({ ...change, sha: readme.sha });
    expect(changed.commit.message).toBe('Say more');
    // The name that git itself gives these bytes: `printf '# Hello you\n' | git hash-object --stdin`.
    expect(changed.content?.sha).toBe('c3cebe7f1423e7519ba2dfa8036a60a62e59b982');
    await repos.deleteFile({ ...REPO, path: 'README.md', message: 'Away', sha: changed.content?.sha ?? '' });
    expect((await errorOf(repos.getReadme(REPO)))[0]).toBe(404);
    const { data: commits } = await repos.listCommits({ ...REPO, path: 'README.md' });
    expect(commits.map(({ commit }) => commit.message)).toEqual(['Away', 'Say more', 'Initial commit']);
    const { data: last } = await repos.getCommit({ ...REPO, ref: 'main' });
    expect(last.files).toMatchObject([{ filename: 'README.md', status: 'removed' }]);
  });

  it('have branches, tags and trees', async () => {
    const octokit = connect();
    await branchWith(octokit, 'feature/tea', 'docs/tea.md', 'Tea');
    const { data: branches } = await octokit.repos.listBranches(REPO);
    expect(branches.map(({ name }) => name)).toEqual(['main', 'feature/tea']);
    const { data: branch } = await octokit.repos.getBranch({ ...REPO, branch: 'feature/tea' });
    const { data: compared } = await octokit.repos.compareCommitsWithBasehead({
      ...REPO,
      basehead: 'main...feature/tea',
    });
    expect(compared).toMatchObject({
      status: 'ahead',
      ahead_by: 1,
      behind_by: 0,
      files: [{ filename: 'docs/tea.md', status: 'added' }],
    });
    const { data: tree } = await octokit.git.getTree({
      ...REPO,
      tree_sha: branch.commit.sha,
      recursive: '1',
    });
    expect(tree.tree.filter(({ type }) => type === 'blob').map(({ path }) => path)).toEqual([
      '.github/workflows/deploy.yml',
      'README.md',
      'docs/tea.md',
      'src/index.js',
    ]);
    await octokit.git.updateRef({ ...REPO, ref: 'heads/main', sha: branch.commit.sha });
    const back = octokit.git.updateRef({ ...REPO, ref: 'heads/main', sha: compared.base_commit.sha });
    expect(await errorOf(back)).toEqual([422, expect.stringContaining('not a fast forward')]);
    await octokit.git.deleteRef({ ...REPO, ref: 'heads/feature/tea' });
    expect(await errorOf(octokit.repos.getBranch({ ...REPO, branch: 'feature/tea' }))).toEqual([
      404,
      expect.stringContaining('Branch not found'),
    ]);
    const twice = octokit.git.createRef({ ...REPO, ref: 'refs/heads/main', sha: branch.commit.sha });
    expect(await errorOf(twice)).toEqual([422, expect.stringContaining('Reference already exists')]);
    const wrong = octokit.git.createRef({ ...REPO, ref: 'main', sha: branch.commit.sha });
    expect((await errorOf(wrong))[0]).toBe(422);
  });
});

describe('issues', () => {
  it('are opened, changed, filtered and closed', async () => {
    const { issues } = connect();
    const { data } = await issues.create({
      ...REPO,
      title: 'Tea is cold',
      body: 'Very.',
      labels: ['bug'],
      assignees: ['ann'],
    });
    expect(data).toMatchObject({
      number: 1,
      state: 'open',
      user: { login: 'octocat' },
      labels: [{ name: 'bug' }],
      assignee: { login: 'ann' },
    });
    await issues.create({ ...REPO, title: 'More tea', labels: ['wish'] });
    const { data: bugs } = await issues.listForRepo({ ...REPO, labels: 'bug' });
    expect(bugs.map(({ title }) => title)).toEqual(['Tea is cold']);
    await issues.update({ ...REPO, issue_number: 1, state: 'closed', state_reason: 'not_planned' });
    expect((await issues.listForRepo(REPO)).data.map(({ number }) => number)).toEqual([2]);
    expect((await issues.get({ ...REPO, issue_number: 1 })).data).toMatchObject({
      state: 'closed',
      state_reason: 'not_planned',
      closed_at: expect.any(String),
    });
    await issues.addAssignees({ ...REPO, issue_number: 2, assignees: ['ann', 'octocat'] });
    await issues.removeAssignees({ ...REPO, issue_number: 2, assignees: ['ann'] });
    expect((await issues.listForRepo({ ...REPO, assignee: 'octocat' })).data).toHaveLength(1);
    expect((await errorOf(issues.get({ ...REPO, issue_number: 9 })))[0]).toBe(404);
    await issues.createMilestone({ ...REPO, title: 'v1' });
    const { data: dated } = await issues.update({ ...REPO, issue_number: 2, milestone: 1 });
    expect(dated.milestone?.title).toBe('v1');
  });

  it.each([
    [{ title: '' }, 'missing_field'],
    [{ title: 'x', assignees: ['nobody'] }, 'invalid'],
  ])('are refused for %j', async (fields, code) => {
    const error = await connect()
      .issues.create({ ...REPO, ...fields })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      status: 422,
      response: { data: { message: 'Validation Failed', errors: [{ resource: 'Issue', code }] } },
    });
  });

  it('have comments and labels, and are locked', async () => {
    const { issues } = connect();
    await issues.create({ ...REPO, title: 'x' });
    const at = { ...REPO, issue_number: 1 };
    const { data: comment } = await issues.createComment({ ...at, body: 'Yes' });
    await issues.updateComment({ ...REPO, comment_id: comment.id, body: 'No' });
    expect((await issues.listComments(at)).data).toMatchObject([{ body: 'No', user: { login: 'octocat' } }]);
    await issues.deleteComment({ ...REPO, comment_id: comment.id });
    expect((await issues.get(at)).data.comments).toBe(0);
    await issues.createLabel({ ...REPO, name: 'good first issue', color: '00ff00' });
    expect((await errorOf(issues.createLabel({ ...REPO, name: 'x', color: 'green' })))[0]).toBe(422);
    await issues.addLabels({ ...at, labels: ['good first issue', 'tea'] });
    await issues.updateLabel({ ...REPO, name: 'tea', new_name: 'coffee' });
    expect((await issues.listLabelsOnIssue(at)).data.map(({ name }) => name)).toEqual([
      'good first issue',
      'coffee',
    ]);
    await issues.removeLabel({ ...at, name: 'good first issue' });
    await issues.setLabels({ ...at, labels: ['last'] });
    expect((await issues.listLabelsForRepo(REPO)).data.map(({ name }) => name)).toEqual([
      'good first issue',
      'coffee',
      'last',
    ]);
    await issues.lock(at);
    expect((await errorOf(issues.createComment({ ...at, body: 'x' })))[0]).toBe(403);
  });

  it('are read in pages, by the header Link', async () => {
    const octokit = connect();
    for (let n = 1; n <= 7; n += 1) await octokit.issues.create({ ...REPO, title: `${n}` });
    const first = await octokit.issues.listForRepo({ ...REPO, per_page: 3, direction: 'asc' });
    expect(first.headers.link).toMatch(/page=2>; rel="next".*page=3>; rel="last"/);
    const all = await octokit.paginate(octokit.issues.listForRepo, {
      ...REPO,
      per_page: 3,
      direction: 'asc',
    });
    expect(all.map(({ title }) => title)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  });
});

describe('pull requests', () => {
  it('are opened, reviewed and merged', async () => {
    const octokit = connect();
    await branchWith(octokit, 'tea');
    const { data: opened } = await octokit.pulls.create({ ...REPO, title: 'Tea', head: 'tea', base: 'main' });
    expect(opened).toMatchObject({
      number: 1,
      state: 'open',
      merged: false,
      mergeable: true,
      commits: 1,
      changed_files: 1,
      head: { ref: 'tea' },
    });
    const at = { ...REPO, pull_number: 1 };
    await octokit.pulls.requestReviewers({ ...at, reviewers: ['ann'] });
    expect((await errorOf(octokit.pulls.createReview({ ...at, event: 'APPROVE' })))[1]).toContain(
      'your own pull request',
    );
    const { data: review } = await connect('ghp_ann').pulls.createReview({
      ...at,
      event: 'APPROVE',
      body: 'Good',
    });
    expect(review.state).toBe('APPROVED');
    expect((await octokit.pulls.listReviews(at)).data).toMatchObject([
      { user: { login: 'ann' }, body: 'Good' },
    ]);
    await octokit.pulls.dismissReview({ ...at, review_id: review.id, message: 'Too early' });
    expect((await errorOf(octokit.pulls.checkIfMerged(at)))[0]).toBe(404);
    expect((await errorOf(octokit.pulls.merge({ ...at, sha: 'b'.repeat(40) })))[0]).toBe(409);
    expect((await octokit.pulls.merge({ ...at, merge_method: 'squash' })).data.merged).toBe(true);
    await octokit.pulls.checkIfMerged(at);
    expect((await octokit.repos.getContent({ ...REPO, path: 'a.txt' })).status).toBe(200);
    expect((await octokit.pulls.get(at)).data).toMatchObject({
      state: 'closed',
      merged: true,
      merged_by: { login: 'octocat' },
      commits: 1,
    });
    expect((await octokit.pulls.listFiles(at)).data).toMatchObject([{ filename: 'a.txt', status: 'added' }]);
    expect(
      (await octokit.issues.listForRepo({ ...REPO, state: 'all' })).data[0]?.pull_request?.url,
    ).toContain('/pulls/1');
    expect(await errorOf(octokit.pulls.merge(at))).toEqual([405, expect.stringContaining('not mergeable')]);
  });

  it('that conflict are not merged, and those without commits not opened', async () => {
    const octokit = connect();
    await branchWith(octokit, 'one', 'same.txt', '1');
    await branchWith(octokit, 'two', 'same.txt', '2');
    for (const head of ['one', 'two'])
      await octokit.pulls.create({ ...REPO, title: head, head, base: 'main' });
    await octokit.pulls.merge({ ...REPO, pull_number: 1 });
    expect((await octokit.pulls.get({ ...REPO, pull_number: 2 })).data).toMatchObject({
      mergeable: false,
      mergeable_state: 'dirty',
    });
    expect(await errorOf(octokit.pulls.merge({ ...REPO, pull_number: 2 }))).toEqual([
      405,
      expect.stringContaining('Merge conflict'),
    ]);
    const again = octokit.pulls.create({ ...REPO, title: 'x', head: 'two', base: 'main' });
    expect((await errorOf(again))[1]).toContain('already exists');
    const none = octokit.pulls.create({ ...REPO, title: 'x', head: 'main', base: 'main' });
    expect((await errorOf(none))[1]).toContain('No commits between');
    const lost = octokit.pulls.create({ ...REPO, title: 'x', head: 'nowhere', base: 'main' });
    expect((await errorOf(lost))[0]).toBe(422);
    await octokit.pulls.update({ ...REPO, pull_number: 2, state: 'closed' });
    expect((await octokit.pulls.list({ ...REPO, state: 'closed' })).data).toHaveLength(2);
  });
});

describe('releases, checks and actions', () => {
  it('releases have tags and assets with their bytes', async () => {
    const { repos } = connect();
    const { data: draft } = await repos.createRelease({ ...REPO, tag_name: 'v0', draft: true });
    expect((await errorOf(repos.getLatestRelease(REPO)))[0]).toBe(404);
    const { data: made } = await repos.createRelease({ ...REPO, tag_name: 'v1', name: 'First' });
    const bytes = Buffer.from([0, 255, 1]);
    const { data: asset } = await repos.uploadReleaseAsset({
      ...REPO,
      release_id: made.id,
      name: 'a.bin',
      data: bytes as never,
      baseUrl: backlot.env.GITHUB_API_URL,
    });
    const got = await repos.getReleaseAsset({
      ...REPO,
      asset_id: asset.id,
      headers: { accept: 'application/octet-stream' },
    });
    expect(Buffer.from(got.data as unknown as ArrayBuffer)).toEqual(bytes);
    expect((await repos.getLatestRelease(REPO)).data).toMatchObject({
      tag_name: 'v1',
      assets: [{ name: 'a.bin', size: 3 }],
    });
    expect((await repos.listTags(REPO)).data.map(({ name }) => name)).toEqual(['v1']);
    await repos.updateRelease({ ...REPO, release_id: draft.id, draft: false });
    expect((await repos.getReleaseByTag({ ...REPO, tag: 'v0' })).data.published_at).not.toBeNull();
    expect((await errorOf(repos.createRelease({ ...REPO, tag_name: 'v1' })))[0]).toBe(422);
    await repos.deleteRelease({ ...REPO, release_id: made.id });
    expect((await repos.listReleases(REPO)).data).toHaveLength(1);
  });

  it('statuses and checks stand at commits', async () => {
    const { checks, repos } = connect();
    const { data } = await repos.getBranch({ ...REPO, branch: 'main' });
    const { sha } = data.commit;
    const at = { ...REPO, ref: 'main' };
    expect((await repos.getCombinedStatusForRef(at)).data.state).toBe('pending');
    await repos.createCommitStatus({ ...REPO, sha, state: 'failure', context: 'ci' });
    await repos.createCommitStatus({ ...REPO, sha, state: 'success', context: 'ci' });
    expect((await repos.getCombinedStatusForRef(at)).data).toMatchObject({
      state: 'success',
      total_count: 1,
      sha,
    });
    expect((await repos.listCommitStatusesForRef(at)).data.map(({ state }) => state)).toEqual([
      'success',
      'failure',
    ]);
    expect((await errorOf(repos.createCommitStatus({ ...REPO, sha, state: 'fine' as 'success' })))[0]).toBe(
      422,
    );
    const { data: run } = await checks.create({
      ...REPO,
      name: 'lint',
      head_sha: sha,
      status: 'in_progress',
    });
    await checks.update({ ...REPO, check_run_id: run.id, conclusion: 'success' });
    expect((await checks.listForRef(at)).data).toMatchObject({
      total_count: 1,
      check_runs: [{ status: 'completed', conclusion: 'success' }],
    });
    expect((await errorOf(checks.create({ ...REPO, name: 'x', head_sha: 'f'.repeat(40) })))[0]).toBe(404);
  });

  it('workflows are files, and are started', async () => {
    const { actions, repos } = connect();
    expect((await actions.listRepoWorkflows(REPO)).data.workflows).toMatchObject([
      { name: 'Deploy', path: '.github/workflows/deploy.yml' },
    ]);
    const call = { ...REPO, workflow_id: 'deploy.yml', ref: 'main', inputs: { to: 'test' } };
    await actions.createWorkflowDispatch(call);
    const { data } = await actions.listWorkflowRuns({ ...REPO, workflow_id: 'deploy.yml' });
    const id = data.workflow_runs[0]?.id ?? 0;
    expect(data.workflow_runs).toMatchObject([
      { name: 'Deploy', status: 'completed', conclusion: 'success', event: 'workflow_dispatch' },
    ]);
    expect(backlot.collection('github:runs').list()).toMatchObject([{ inputs: { to: 'test' } }]);
    expect((await errorOf(actions.cancelWorkflowRun({ ...REPO, run_id: id })))[0]).toBe(409);
    await actions.reRunWorkflow({ ...REPO, run_id: id });
    expect((await actions.getWorkflowRun({ ...REPO, run_id: id })).data).toMatchObject({
      status: 'queued',
      run_attempt: 2,
    });
    await actions.cancelWorkflowRun({ ...REPO, run_id: id });
    expect((await actions.listWorkflowRunsForRepo({ ...REPO, status: 'cancelled' })).data.total_count).toBe(
      1,
    );
    expect(await errorOf(actions.createWorkflowDispatch({ ...call, ref: 'nowhere' }))).toEqual([
      422,
      expect.stringContaining('No ref found'),
    ]);
    await repos.createDispatchEvent({ ...REPO, event_type: 'tea' });
  });
});

describe('search', () => {
  it('finds repositories, issues, code and people', async () => {
    const octokit = connect();
    await octokit.issues.create({ ...REPO, title: 'Tea is cold', labels: ['bug'] });
    await octokit.issues.create({ ...REPO, title: 'Tea is hot' });
    const { search } = octokit;
    expect((await search.repos({ q: 'hello user:octocat' })).data).toMatchObject({
      total_count: 1,
      items: [{ name: 'hello-world' }],
    });
    const { data } = await search.issuesAndPullRequests({
      q: 'tea repo:octocat/hello-world is:issue is:open -label:bug',
    });
    expect(data.items.map(({ title }) => title)).toEqual(['Tea is hot']);
    expect((await search.code({ q: 'console extension:js' })).data.items).toMatchObject([
      { path: 'src/index.js' },
    ]);
    expect((await search.users({ q: 'ann' })).data.items.map(({ login }) => login)).toEqual(['ann']);
    expect((await errorOf(search.repos({ q: '' })))[0]).toBe(422);
    expect((await errorOf(search.repos({ q: 'hello stars:>5' })))[1]).toContain('stars');
  });
});

describe('limits, versions and scenarios', () => {
  it('a limit is counted by the hour, and told in headers', async () => {
    backlot.clock.freeze(true);
    const { headers } = await connect().repos.get(REPO);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4999' });
    expect((await connect().rateLimit.get()).data.rate).toMatchObject({ limit: 5000, used: 1 });
    const nobody = new Octokit({ baseUrl: backlot.env.GITHUB_API_URL, log: SILENT });
    for (let n = 0; n < 60; n += 1) await nobody.repos.get(REPO);
    const error: unknown = await nobody.repos.get(REPO).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 403, response: { headers: { 'x-ratelimit-remaining': '0' } } });
    await backlot.clock.advance(3_600_000);
    expect((await nobody.repos.get(REPO)).headers['x-ratelimit-remaining']).toBe('59');
  });

  it('what a client has already is 304', async () => {
    const octokit = connect();
    const { headers } = await octokit.repos.get(REPO);
    const etag = headers.etag ?? '';
    expect((await errorOf(octokit.repos.get({ ...REPO, headers: { 'if-none-match': etag } })))[0]).toBe(304);
    await octokit.repos.update({ ...REPO, description: 'other' });
    expect((await octokit.repos.get({ ...REPO, headers: { 'if-none-match': etag } })).status).toBe(200);
  });

  it('an unknown path names those that are known', async () => {
    const [status, message] = await errorOf(connect().request('GET /gists'));
    expect([status, message]).toEqual([
      404,
      expect.stringMatching(/GET \/github\/gists.*knows .*\/search\/issues/),
    ]);
  });

  it.each([
    ['rate-limited', 403, 'x-ratelimit-remaining'],
    ['secondary-limit', 403, 'retry-after'],
    ['outage', 503, 'content-type'],
    ['bad-gateway', 502, 'content-type'],
    ['wrong-token', 401, 'content-type'],
    ['forbidden', 403, 'content-type'],
    ['saml', 403, 'x-github-sso'],
    ['blocked', 451, 'content-type'],
  ])('%s answers with %d', async (scenario, status, header) => {
    backlot.scenarios.activate(`github:${scenario}`);
    const error: unknown = await connect()
      .repos.get(REPO)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status, response: { headers: { [header]: expect.any(String) } } });
  });

  it('bad input is answered as GitHub does', async () => {
    const post = async (path: string, body: string): Promise<number> => {
      const headers = { Authorization: 'Bearer ghp_octocat', 'Content-Type': 'application/json' };
      return (await fetch(`${backlot.env.GITHUB_API_URL}${path}`, { method: 'POST', headers, body })).status;
    };
    expect(await post('/repos/octocat/hello-world/issues', '{')).toBe(400);
    expect(await post('/repos/octocat/hello-world/issues', '[]')).toBe(400);
    expect(await post('/repos/octocat/hello-world/issues', '{"title": {"a": 1}}')).toBe(422);
    expect(await post('/repos/octocat/__proto__/issues', '{"title": "x"}')).toBe(404);
    expect(await post('/repos/octocat/hello-world/git/refs', '{"ref": "refs/heads/../x", "sha": 5}')).toBe(
      422,
    );
  });
});
