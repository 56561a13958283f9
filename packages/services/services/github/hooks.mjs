import { created, invalid, NOTHING, operation, page } from './api.mjs';
import { send } from './deliver.mjs';
import { repoOf } from './history.mjs';

function shown(
  call,
  repo,
  { key, id = Number(key), events, active, url, content_type: type, created_at: made },
) {
  const own = `${call.api}/repos/${repo.full_name}/hooks/${key}`;
  const config = { url, content_type: type, insecure_ssl: '0', secret: '********' };
  return {
    type: 'Repository',
    id,
    name: 'web',
    active,
    events,
    config,
    created_at: made,
    updated_at: made,
    url: own,
    test_url: `${own}/tests`,
    ping_url: `${own}/pings`,
  };
}

const own = (call, repo) => call.findOf('hooks', repo, call.params.hook_id);

export const list = operation((call) => {
  const repo = repoOf(call);
  return page(
    call,
    call.of('hooks', repo).map((row) => shown(call, repo, row)),
  );
});

export const create = operation((call) => {
  const repo = repoOf(call);
  const { config, events = ['push'], active = true } = call.body;
  if (typeof config?.url !== 'string' || !/^https?:\/\//.test(config.url))
    throw invalid('Hook', 'url', 'missing_field');
  if (call.of('hooks', repo).some(({ url }) => url === config.url))
    throw invalid('Hook', undefined, 'custom', 'Hook already exists on this repository');
  const { url, secret, content_type = 'form' } = config;
  const id = call.nextId();
  const row = call.rows('hooks').create({
    key: String(id),
    id,
    repo: repo.full_name,
    url,
    secret: secret ?? null,
    content_type,
    events,
    active,
    created_at: call.now,
  });
  const hook = shown(call, repo, row);
  send(call, repo, row, 'ping', { zen: 'Design for failure.', hook_id: id, hook });
  return created(hook);
});

export const get = operation((call) => {
  const repo = repoOf(call);
  return shown(call, repo, own(call, repo));
});

export const update = operation((call) => {
  const repo = repoOf(call);
  const { key } = own(call, repo);
  const { config = {}, events, active } = call.body;
  const given = { url: config.url, secret: config.secret, content_type: config.content_type, events, active };
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return shown(call, repo, call.rows('hooks').update(key, fields));
});

export const remove = operation((call) => {
  call.rows('hooks').remove(own(call, repoOf(call)).key);
  return NOTHING;
});

export const ping = operation((call) => {
  const repo = repoOf(call);
  const row = own(call, repo);
  send(call, repo, row, 'ping', {
    zen: 'Design for failure.',
    hook_id: row.id,
    hook: shown(call, repo, row),
  });
  return NOTHING;
});
