import { created, GithubError, invalid, nodeId, NOTHING, notFound, operation, page, Reply } from './api.mjs';
import { commitOf, repoOf } from './history.mjs';
import { userOf } from './people.mjs';
import { deliver } from './deliver.mjs';

const MAX_BYTES = 5 * 1024 * 1024;

function shownAsset(call, repo, { content: _, ...asset }) {
  const url = `${call.api}/repos/${repo.full_name}/releases/assets/${asset.id}`;
  return {
    ...asset,
    url,
    browser_download_url: url,
    uploader: userOf(call, asset.uploader),
    state: 'uploaded',
    download_count: 0,
  };
}

function shown(call, repo, { key, repo: _, author, assets, ...fields }) {
  const url = `${call.api}/repos/${repo.full_name}/releases/${fields.id}`;
  return {
    ...fields,
    node_id: nodeId('RE', key),
    url,
    html_url: `https://github.com/${repo.full_name}/releases/tag/${fields.tag_name}`,
    assets_url: `${url}/assets`,
    upload_url: `${url}/assets{?name,label}`,
    tarball_url: `${call.api}/repos/${repo.full_name}/tarball/${fields.tag_name}`,
    zipball_url: `${call.api}/repos/${repo.full_name}/zipball/${fields.tag_name}`,
    author: userOf(call, author),
    assets: assets.map((asset) => shownAsset(call, repo, asset)),
  };
}

const releaseOf = (call, repo) => call.findOf('releases', repo, call.params.release_id);

export const list = operation(
  (call) => {
    const repo = repoOf(call);
    const rows = call.of('releases', repo).filter(({ draft }) => !draft || call.login !== undefined);
    return page(
      call,
      rows.reverse().map((row) => shown(call, repo, row)),
    );
  },
  { open: true },
);

export const create = operation((call) => {
  const repo = repoOf(call);
  const tag = call.text('tag_name', 'Release');
  if (call.of('releases', repo).some((row) => row.tag_name === tag))
    throw invalid('Release', 'tag_name', 'already_exists');
  const {
    name = null,
    body = null,
    draft = false,
    prerelease = false,
    target_commitish: target = repo.default_branch,
  } = call.body;
  const { sha } = commitOf(call, repo, target);
  const refs = call.rows('refs');
  const ref = `${repo.full_name}:tags/${tag}`;
  if (!draft && !refs.has(ref)) refs.create({ key: ref, repo: repo.full_name, sha });
  const id = call.nextId();
  const row = call.rows('releases').create({
    key: String(id),
    id,
    repo: repo.full_name,
    tag_name: tag,
    target_commitish: target,
    name,
    body,
    draft,
    prerelease,
    author: call.login,
    assets: [],
    created_at: call.now,
    published_at: draft ? null : call.now,
  });
  const release = shown(call, repo, row);
  if (!draft)
    for (const action of ['created', 'published', 'released'])
      deliver(call, repo, 'release', { action, release });
  return created(release);
});

export const get = operation(
  (call) => {
    const repo = repoOf(call);
    return shown(call, repo, releaseOf(call, repo));
  },
  { open: true },
);

const finding = (isWanted) =>
  operation(
    (call) => {
      const repo = repoOf(call);
      const row = call.of('releases', repo).findLast((one) => isWanted(one, call));
      if (row === undefined) throw notFound();
      return shown(call, repo, row);
    },
    { open: true },
  );
export const latest = finding(({ draft, prerelease }) => !draft && !prerelease);
export const byTag = finding(({ tag_name: tag, draft }, call) => !draft && tag === call.params.tag);

export const update = operation((call) => {
  const repo = repoOf(call);
  const row = releaseOf(call, repo);
  const names = ['tag_name', 'name', 'body', 'draft', 'prerelease', 'target_commitish'];
  const given = Object.fromEntries(
    names.filter((name) => call.body[name] !== undefined).map((name) => [name, call.body[name]]),
  );
  const isPublished = row.draft && given.draft === false;
  const after = call
    .rows('releases')
    .replace(row.key, { ...row, ...given, ...(isPublished ? { published_at: call.now } : {}) });
  const release = shown(call, repo, after);
  deliver(call, repo, 'release', { action: isPublished ? 'published' : 'edited', release });
  return release;
});

export const remove = operation((call) => {
  const repo = repoOf(call);
  const row = releaseOf(call, repo);
  deliver(call, repo, 'release', { action: 'deleted', release: shown(call, repo, row) });
  call.rows('releases').remove(row.key);
  return NOTHING;
});

export const listAssets = operation(
  (call) => {
    const repo = repoOf(call);
    return page(
      call,
      releaseOf(call, repo).assets.map((asset) => shownAsset(call, repo, asset)),
    );
  },
  { open: true },
);

export const upload = operation((call) => {
  const repo = repoOf(call);
  const row = releaseOf(call, repo);
  const { name, label = null } = call.query;
  if (name === undefined) throw new GithubError(400, 'Bad Request: name is missing');
  if (row.assets.some((asset) => asset.name === name))
    throw invalid('ReleaseAsset', 'name', 'already_exists');
  const bytes = Buffer.from(call.request.raw_body ?? '');
  if (bytes.length > MAX_BYTES) throw new GithubError(422, `An asset has at most ${MAX_BYTES} bytes here`);
  const type = String(call.request.headers['content-type'] ?? 'application/octet-stream');
  const asset = {
    id: call.nextId(),
    name,
    label,
    content_type: type,
    size: bytes.length,
    uploader: call.login,
    created_at: call.now,
    updated_at: call.now,
    content: bytes.toString('base64'),
  };
  call.rows('releases').update(row.key, { assets: [...row.assets, asset] });
  return created(shownAsset(call, repo, asset));
});

export const getAsset = operation(
  (call) => {
    const repo = repoOf(call);
    const asset = call
      .of('releases', repo)
      .flatMap(({ assets }) => assets)
      .find(({ id }) => String(id) === call.params.asset_id);
    if (asset === undefined) throw notFound();
    const isWanted = /octet-stream/.test(String(call.request.headers.accept));
    return isWanted
      ? new Reply(200, undefined, { 'Content-Type': 'application/octet-stream' }, asset.content)
      : shownAsset(call, repo, asset);
  },
  { open: true },
);
