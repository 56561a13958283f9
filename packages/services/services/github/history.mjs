import { createHash } from 'node:crypto';
import { GithubError, nodeId, notFound } from './api.mjs';
import { deliver } from './deliver.mjs';
import { userOf } from './people.mjs';

/** The repository of the path. @throws GithubError 404 */
export function repoOf(call, { owner, repo } = call.params) {
  const row = call.find('repos', `${owner}/${repo}`);
  if (row.private && call.login === undefined) throw notFound();
  const ref = `${row.full_name}:heads/${row.default_branch}`;
  if (row.files !== undefined && !call.rows('refs').has(ref)) {
    const files = Object.fromEntries(
      Object.entries(row.files).map(([path, text]) => [path, Buffer.from(String(text))]),
    );
    addCommit(call, row, row.default_branch, { message: 'Initial commit', files, isSilent: true });
  }
  return call.find('repos', row.full_name);
}

const MAX_FILES = 1000;
const sha1 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha1')).digest('hex');

/** Keeps bytes, and gives their name in git. */
export function addBlob(call, bytes) {
  const sha = sha1(`blob ${bytes.length}\0`, bytes);
  const rows = call.rows('blobs');
  if (!rows.has(sha)) rows.create({ key: sha, size: bytes.length, content: bytes.toString('base64') });
  return sha;
}

/**
 * Adds a commit to a branch, and tells who listens.
 *
 * @param change.files - bytes by path; `null` takes a file away
 * @param change.isSilent - whether nobody is told
 */
export function addCommit(
  call,
  repo,
  branch,
  { message, files = {}, author, tree: whole, parents: given, isSilent = false },
) {
  const refs = call.rows('refs');
  const key = `${repo.full_name}:heads/${branch}`;
  const before = refs.has(key) ? refs.get(key).sha : undefined;
  const tree = { ...(whole ?? (before === undefined ? {} : commitOf(call, repo, before).tree)) };
  for (const [path, bytes] of Object.entries(files)) {
    if (bytes === null) delete tree[path];
    else tree[path] = addBlob(call, bytes);
  }
  if (Object.keys(tree).length > MAX_FILES)
    throw new GithubError(422, `A repository has at most ${MAX_FILES} files here`);
  const commit = putCommit(call, repo, {
    message,
    tree,
    author,
    parents: given ?? (before === undefined ? [] : [before]),
  });
  if (before === undefined) refs.create({ key, repo: repo.full_name, sha: commit.sha });
  else refs.update(key, { sha: commit.sha });
  call.rows('repos').update(repo.full_name, { pushed_at: call.now });
  if (!isSilent) tellPush(call, repo, `refs/heads/${branch}`, before, commit);
  return commit;
}

function putCommit(call, repo, { message, tree, author = {}, parents }) {
  const name = call.login ?? 'octocat';
  const by = { name, email: `${name}@users.noreply.github.com`, date: call.now, ...author };
  const sha = sha1(JSON.stringify([repo.full_name, message, tree, by, parents, call.nextId()]));
  return call.rows('commits').create({
    key: `${repo.full_name}:${sha}`,
    repo: repo.full_name,
    sha,
    message,
    tree,
    parents,
    author: by,
    login: name,
  });
}

const NONE = '0'.repeat(40);

export function tellPush(call, repo, ref, before, commit) {
  const { added, modified, removed } = changes(
    before === undefined ? {} : commitOf(call, repo, before).tree,
    commit.tree,
  );
  const { sha: id, message, author } = commit;
  const head = {
    id,
    tree_id: treeSha(commit.tree),
    message,
    timestamp: author.date,
    author,
    added,
    modified,
    removed,
  };
  const pusher = { name: commit.login, email: author.email };
  deliver(call, repo, 'push', {
    ref,
    before: before ?? NONE,
    after: id,
    created: before === undefined,
    deleted: false,
    forced: false,
    pusher,
    head_commit: head,
    commits: [head],
  });
}

/** Which paths differ between two trees. */
export function changes(from, to) {
  const of = (isWanted, tree) => Object.keys(tree).filter(isWanted);
  return {
    added: of((path) => !Object.hasOwn(from, path), to),
    modified: of((path) => Object.hasOwn(from, path) && from[path] !== to[path], to),
    removed: of((path) => !Object.hasOwn(to, path), from),
  };
}

const treeSha = (tree) => sha1(JSON.stringify(tree));
export const folderSha = (path) => sha1('tree ', path);

/** The commit of a branch, a tag, or (the beginning of) a name. @throws GithubError 404 */
export function commitOf(call, repo, given) {
  const name = String(given ?? repo.default_branch).replace(/^refs\//, '');
  const refs = call.rows('refs');
  const ref = [name, `heads/${name}`, `tags/${name}`].find((one) => refs.has(`${repo.full_name}:${one}`));
  const sha = ref === undefined ? name : refs.get(`${repo.full_name}:${ref}`).sha;
  const rows = call.rows('commits');
  if (rows.has(`${repo.full_name}:${sha}`)) return rows.get(`${repo.full_name}:${sha}`);
  const short = /^[0-9a-f]{7,39}$/.test(sha)
    ? call.of('commits', repo).find((row) => row.sha.startsWith(sha))
    : undefined;
  if (short !== undefined) return short;
  throw notFound();
}

/** A commit and what came before it, newest first. */
export function historyOf(call, repo, commit) {
  const list = [];
  for (let next = commit; next !== undefined;) {
    list.push(next);
    const [parent] = next.parents;
    next = parent === undefined ? undefined : commitOf(call, repo, parent);
  }
  return list;
}

export function shownCommit(call, repo, { sha, message, tree, author, parents, login }) {
  const url = `${call.api}/repos/${repo.full_name}/commits/${sha}`;
  return {
    sha,
    node_id: nodeId('C', `${repo.full_name}:${sha}`),
    commit: {
      message,
      author,
      committer: author,
      tree: { sha: treeSha(tree), url: `${call.api}/repos/${repo.full_name}/git/trees/${treeSha(tree)}` },
      comment_count: 0,
    },
    url,
    html_url: `https://github.com/${repo.full_name}/commit/${sha}`,
    author: userOf(call, login),
    committer: userOf(call, login),
    parents: parents.map((one) => ({ sha: one, url: `${call.api}/repos/${repo.full_name}/commits/${one}` })),
  };
}

export function filesOf(call, from, to) {
  const { added, modified, removed } = changes(from, to);
  const shown = (status) => (filename) => ({
    filename,
    status,
    sha: to[filename] ?? from[filename],
    additions: status === 'removed' ? 0 : 1,
    deletions: status === 'added' ? 0 : 1,
    changes: status === 'modified' ? 2 : 1,
  });
  return [...added.map(shown('added')), ...modified.map(shown('modified')), ...removed.map(shown('removed'))];
}

/** What two commits have in common, and what each has beyond. */
export function between(call, repo, from, to) {
  const old = historyOf(call, repo, from);
  const fresh = historyOf(call, repo, to);
  const names = new Set(old.map(({ sha }) => sha));
  const common = fresh.find(({ sha }) => names.has(sha))?.sha;
  const until = (list) =>
    list.slice(0, common === undefined ? list.length : list.findIndex(({ sha }) => sha === common));
  return { sha: common, ahead: until(fresh), behind: until(old) };
}
