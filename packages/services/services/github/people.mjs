import { nodeId } from './api.mjs';

const WEB = 'https://github.com';

export function userOf(call, login) {
  const rows = call.rows('users');
  const row = rows.has(login) ? rows.get(login) : { login };
  const id = row.id ?? [...login].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_000, 7);
  return {
    login,
    id,
    node_id: nodeId('U', login),
    avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
    url: `${call.api}/users/${login}`,
    html_url: `${WEB}/${login}`,
    type: row.type ?? 'User',
    site_admin: false,
  };
}

export function shownRepo(call, { files: _, ...row }) {
  const [owner, name] = row.full_name.split('/');
  const url = `${call.api}/repos/${row.full_name}`;
  const open = call.of('issues', row).filter(({ state }) => state === 'open').length;
  return {
    ...row,
    id: row.id ?? userOf(call, row.full_name).id,
    node_id: nodeId('R', row.full_name),
    name,
    owner: userOf(call, owner),
    html_url: `${WEB}/${row.full_name}`,
    url,
    clone_url: `${WEB}/${row.full_name}.git`,
    ssh_url: `git@github.com:${row.full_name}.git`,
    issues_url: `${url}/issues{/number}`,
    contents_url: `${url}/contents/{+path}`,
    open_issues_count: open,
    open_issues: open,
    visibility: row.private ? 'private' : 'public',
    permissions: { admin: true, maintain: true, push: true, triage: true, pull: true },
  };
}
