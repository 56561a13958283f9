import { created, GithubError, NOTHING, nodeId, operation, page } from './api.mjs';
import { deliver } from './deliver.mjs';
import { between, commitOf, filesOf, historyOf, repoOf, shownCommit, tellPush } from './history.mjs';

export const listCommits = operation(
  (call) => {
    const repo = repoOf(call);
    const { sha, path, author } = call.query;
    const list = historyOf(call, repo, commitOf(call, repo, sha)).filter((row) => {
      const before = row.parents[0] === undefined ? {} : commitOf(call, repo, row.parents[0]).tree;
      return (
        (author === undefined || row.login === author) &&
        (path === undefined || row.tree[path] !== before[path])
      );
    });
    return page(
      call,
      list.map((row) => shownCommit(call, repo, row)),
    );
  },
  { open: true },
);

export const getCommit = operation(
  (call) => {
    const repo = repoOf(call);
    const commit = commitOf(call, repo, call.params.ref);
    const before = commit.parents[0] === undefined ? {} : commitOf(call, repo, commit.parents[0]).tree;
    const files = filesOf(call, before, commit.tree);
    const count = (field) => files.reduce((sum, file) => sum + file[field], 0);
    const stats = { additions: count('additions'), deletions: count('deletions'), total: count('changes') };
    return { ...shownCommit(call, repo, commit), stats, files };
  },
  { open: true },
);

export const compare = operation(
  (call) => {
    const repo = repoOf(call);
    const [base, head] = call.rest('compare').split('...');
    const from = commitOf(call, repo, base);
    const to = commitOf(call, repo, head);
    const { sha: common, ahead, behind } = between(call, repo, from, to);
    const status =
      ahead.length === 0
        ? behind.length === 0
          ? 'identical'
          : 'behind'
        : behind.length === 0
          ? 'ahead'
          : 'diverged';
    return {
      status,
      ahead_by: ahead.length,
      behind_by: behind.length,
      total_commits: ahead.length,
      base_commit: shownCommit(call, repo, from),
      commits: ahead.reverse().map((row) => shownCommit(call, repo, row)),
      files: filesOf(call, common === undefined ? {} : commitOf(call, repo, common).tree, to.tree),
    };
  },
  { open: true },
);

const shownBranch = (call, repo, { key, sha }) => ({
  name: key.slice(repo.full_name.length + ':heads/'.length),
  commit: { sha, url: `${call.api}/repos/${repo.full_name}/commits/${sha}` },
  protected: false,
});

export const listBranches = operation(
  (call) => {
    const repo = repoOf(call);
    const rows = call.of('refs', repo).filter(({ key }) => key.startsWith(`${repo.full_name}:heads/`));
    return page(
      call,
      rows.map((row) => shownBranch(call, repo, row)),
    );
  },
  { open: true },
);

export const getBranch = operation(
  (call) => {
    const repo = repoOf(call);
    const rows = call.rows('refs');
    const key = `${repo.full_name}:heads/${call.rest('branches')}`;
    if (!rows.has(key)) throw new GithubError(404, 'Branch not found');
    const row = rows.get(key);
    return {
      ...shownBranch(call, repo, row),
      commit: shownCommit(call, repo, commitOf(call, repo, row.sha)),
    };
  },
  { open: true },
);

export const listTags = operation(
  (call) => {
    const repo = repoOf(call);
    const begin = `${repo.full_name}:tags/`;
    const rows = call.of('refs', repo).filter(({ key }) => key.startsWith(begin));
    return page(
      call,
      rows.map(({ key, sha }) => ({
        name: key.slice(begin.length),
        commit: { sha, url: `${call.api}/repos/${repo.full_name}/commits/${sha}` },
      })),
    );
  },
  { open: true },
);

const shownRef = (call, repo, { key, sha }) => {
  const ref = `refs/${key.slice(repo.full_name.length + 1)}`;
  const url = `${call.api}/repos/${repo.full_name}/git`;
  return {
    ref,
    node_id: nodeId('REF', key),
    url: `${url}/${ref}`,
    object: { type: 'commit', sha, url: `${url}/commits/${sha}` },
  };
};

export const getRef = operation(
  (call) => {
    const repo = repoOf(call);
    return shownRef(call, repo, call.find('refs', `${repo.full_name}:${call.rest('git/ref')}`));
  },
  { open: true },
);

export const matchRefs = operation(
  (call) => {
    const repo = repoOf(call);
    const begin = `${repo.full_name}:${call.rest('git/matching-refs')}`;
    return page(
      call,
      call
        .of('refs', repo)
        .filter(({ key }) => key.startsWith(begin))
        .map((row) => shownRef(call, repo, row)),
    );
  },
  { open: true },
);

export const createRef = operation((call) => {
  const repo = repoOf(call);
  const ref = call.text('ref', 'Reference');
  const name = /^refs\/((?:heads|tags)\/[^\s~^:?*[\\]+)$/.exec(ref)?.[1];
  if (name === undefined) throw new GithubError(422, `${ref} is not a valid ref name.`);
  if (call.rows('refs').has(`${repo.full_name}:${name}`))
    throw new GithubError(422, 'Reference already exists');
  const { sha } = findObject(call, repo, call.text('sha', 'Reference'));
  const row = call.rows('refs').create({ key: `${repo.full_name}:${name}`, repo: repo.full_name, sha });
  const [type, ...rest] = name.split('/');
  deliver(call, repo, 'create', {
    ref: rest.join('/'),
    ref_type: type === 'heads' ? 'branch' : 'tag',
    master_branch: repo.default_branch,
    description: repo.description,
    pusher_type: 'user',
  });
  return created(shownRef(call, repo, row));
});

function findObject(call, repo, sha) {
  const key = `${repo.full_name}:${sha}`;
  if (!call.rows('commits').has(key)) throw new GithubError(422, 'Object does not exist');
  return call.rows('commits').get(key);
}

export const updateRef = operation((call) => {
  const repo = repoOf(call);
  const row = call.find('refs', `${repo.full_name}:${call.rest('git/refs')}`);
  const to = findObject(call, repo, call.text('sha', 'Reference'));
  const { behind } = between(call, repo, commitOf(call, repo, row.sha), to);
  if (behind.length > 0 && call.body.force !== true)
    throw new GithubError(422, 'Update is not a fast forward');
  tellPush(call, repo, shownRef(call, repo, row).ref, row.sha, to);
  return shownRef(call, repo, call.rows('refs').update(row.key, { sha: to.sha }));
});

export const deleteRef = operation((call) => {
  const repo = repoOf(call);
  const key = `${repo.full_name}:${call.rest('git/refs')}`;
  if (!call.rows('refs').has(key)) throw new GithubError(422, 'Reference does not exist');
  call.rows('refs').remove(key);
  const [type, ...rest] = key.slice(repo.full_name.length + 1).split('/');
  deliver(call, repo, 'delete', {
    ref: rest.join('/'),
    ref_type: type === 'heads' ? 'branch' : 'tag',
    pusher_type: 'user',
  });
  return NOTHING;
});
