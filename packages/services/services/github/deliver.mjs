import { shownRepo, userOf } from './people.mjs';

/** Sends an event to the webhooks of a repository that want it, signed with their secret. */
export function deliver(call, repo, event, payload) {
  for (const hook of call.of('hooks', repo)) {
    if (hook.active === false || !(hook.events.includes('*') || hook.events.includes(event))) continue;
    send(call, repo, hook, event, payload);
  }
}

/** Sends an event to one webhook, whatever it wants. */
export function send(
  call,
  repo,
  { key, id = key, url, secret, content_type: type = 'json' },
  event,
  payload,
) {
  const sender = userOf(call, call.login ?? 'octocat');
  const text = JSON.stringify({
    ...payload,
    repository: shownRepo(call, call.rows('repos').get(repo.full_name)),
    sender,
  });
  const isForm = type === 'form';
  call.context.webhook({
    url,
    headers: {
      'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      'User-Agent': 'GitHub-Hookshot/backlot',
      'X-GitHub-Delivery': call.context.random.uuid(),
      'X-GitHub-Event': event,
      'X-GitHub-Hook-ID': String(id),
      'X-GitHub-Hook-Installation-Target-Type': 'repository',
    },
    body: isForm ? new URLSearchParams({ payload: text }).toString() : text,
    ...(secret === undefined || secret === null || secret === ''
      ? {}
      : { sign: { scheme: 'github', secret } }),
  });
}
