import { created, GithubError, notFound, operation, Reply } from './api.mjs';
import { addBlob, addCommit, commitOf, folderSha, repoOf, shownCommit } from './history.mjs';

const RAW = 'application/vnd.github.raw; charset=utf-8';

function shownFile(call, repo, path, sha, size, ref) {
  const url = `${call.api}/repos/${repo.full_name}/contents/${encodeURI(path)}?ref=${ref}`;
  const raw = `https://raw.githubusercontent.com/${repo.full_name}/${ref}/${encodeURI(path)}`;
  return {
    name: path.split('/').at(-1),
    path,
    sha,
    size,
    type: 'file',
    url,
    html_url: `https://github.com/${repo.full_name}/blob/${ref}/${path}`,
    git_url: `${call.api}/repos/${repo.full_name}/git/blobs/${sha}`,
    download_url: raw,
  };
}

function listFolder(call, repo, tree, folder, ref) {
  const begin = folder === '' ? '' : `${folder}/`;
  const items = new Map();
  for (const [path, sha] of Object.entries(tree)) {
    if (!path.startsWith(begin)) continue;
    const [name, ...below] = path.slice(begin.length).split('/');
    const own = begin + name;
    if (below.length === 0)
      items.set(own, shownFile(call, repo, own, sha, call.find('blobs', sha).size, ref));
    else
      items.set(own, {
        ...shownFile(call, repo, own, folderSha(own), 0, ref),
        type: 'dir',
        download_url: null,
      });
  }
  if (items.size === 0 && folder !== '') throw notFound();
  return [...items.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function show(call, repo, path, ref = repo.default_branch) {
  const { tree } = commitOf(call, repo, ref);
  if (!Object.hasOwn(tree, path)) return listFolder(call, repo, tree, path, ref);
  const { size, content } = call.find('blobs', tree[path]);
  if (/\braw\b/.test(String(call.request.headers.accept)))
    return new Reply(200, undefined, { 'Content-Type': RAW }, content);
  // As there, in lines of 60.
  const lines = content.replace(/.{60}/g, '$&\n');
  return { ...shownFile(call, repo, path, tree[path], size, ref), encoding: 'base64', content: `${lines}\n` };
}

export const get = operation((call) => show(call, repoOf(call), call.rest('contents'), call.query.ref), {
  open: true,
});

export const readme = operation(
  (call) => {
    const repo = repoOf(call);
    const { tree } = commitOf(call, repo, call.query.ref);
    const path = Object.keys(tree).find((name) => /^readme(\.\w+)?$/i.test(name));
    if (path === undefined) throw notFound();
    return show(call, repo, path, call.query.ref);
  },
  { open: true },
);

/** Says what is wrong with the name of the version that a change replaces. */
function checkVersion(path, now, given) {
  if (now !== undefined && given === undefined)
    throw new GithubError(422, `Invalid request.\n\n"sha" wasn't supplied.`);
  if (now !== undefined && given !== now) throw new GithubError(409, `${path} does not match ${given}`);
}

function treeOf(call, repo, branch) {
  const refs = call.rows('refs');
  if (refs.has(`${repo.full_name}:heads/${branch}`)) return commitOf(call, repo, branch).tree;
  if (branch === repo.default_branch) return {};
  throw new GithubError(404, `Branch ${branch} not found`);
}

export const put = operation((call) => {
  const repo = repoOf(call);
  const path = call.rest('contents');
  const { branch = repo.default_branch, content, sha, author, committer } = call.body;
  const message = call.text('message', 'Commit');
  if (typeof content !== 'string' || !/^[A-Za-z0-9+/=\s]*$/.test(content))
    throw new GithubError(422, 'content is not valid Base64');
  const before = treeOf(call, repo, branch)[path];
  checkVersion(path, before, sha);
  const bytes = Buffer.from(content, 'base64');
  const commit = addCommit(call, repo, branch, {
    message,
    files: { [path]: bytes },
    author: author ?? committer,
  });
  const file = shownFile(call, repo, path, commit.tree[path], bytes.length, branch);
  const json = { content: file, commit: { ...shownCommit(call, repo, commit).commit, sha: commit.sha } };
  return before === undefined ? created(json) : json;
});

export const remove = operation((call) => {
  const repo = repoOf(call);
  const path = call.rest('contents');
  const given = { ...call.query, ...call.body };
  const { branch = repo.default_branch, sha } = given;
  const message = call.text('message', 'Commit', given);
  const before = treeOf(call, repo, branch)[path];
  if (before === undefined) throw notFound();
  checkVersion(path, before, sha);
  const commit = addCommit(call, repo, branch, { message, files: { [path]: null } });
  return { content: null, commit: { ...shownCommit(call, repo, commit).commit, sha: commit.sha } };
});

export const getTree = operation(
  (call) => {
    const repo = repoOf(call);
    const { tree, sha } = commitOf(call, repo, call.params.sha);
    const url = `${call.api}/repos/${repo.full_name}/git`;
    const isDeep = call.query.recursive !== undefined;
    const blobs = Object.entries(tree).filter(([path]) => isDeep || !path.includes('/'));
    const folders = new Set(
      Object.keys(tree).flatMap((path) =>
        path
          .split('/')
          .slice(0, -1)
          .map((_, depth, parts) => parts.slice(0, depth + 1).join('/')),
      ),
    );
    const shown = [
      ...[...folders]
        .filter((path) => isDeep || !path.includes('/'))
        .map((path) => ({ path, mode: '040000', type: 'tree', sha: folderSha(path) })),
      ...blobs.map(([path, blob]) => ({
        path,
        mode: '100644',
        type: 'blob',
        size: call.find('blobs', blob).size,
        sha: blob,
        url: `${url}/blobs/${blob}`,
      })),
    ];
    return {
      sha,
      url: `${url}/trees/${sha}`,
      tree: shown.sort((a, b) => (a.path < b.path ? -1 : 1)),
      truncated: false,
    };
  },
  { open: true },
);

export const getBlob = operation(
  (call) => {
    repoOf(call);
    const { key: sha, size, content } = call.find('blobs', call.params.sha);
    return { sha, size, content, encoding: 'base64' };
  },
  { open: true },
);

export const createBlob = operation((call) => {
  const repo = repoOf(call);
  const { content, encoding = 'utf-8' } = call.body;
  if (typeof content !== 'string')
    throw new GithubError(422, 'Invalid request.\n\n"content" wasn\'t supplied.');
  const sha = addBlob(call, Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'));
  return created({ sha, url: `${call.api}/repos/${repo.full_name}/git/blobs/${sha}` });
});
