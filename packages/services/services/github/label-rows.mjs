import { nodeId } from './api.mjs';

export const labelKey = (repo, name) => `${repo.full_name}:${name.toLowerCase()}`;

export function shownLabel(call, repo, { key, repo: _, ...fields }) {
  const url = `${call.api}/repos/${repo.full_name}/labels/${encodeURIComponent(fields.name)}`;
  return { ...fields, node_id: nodeId('LA', key), url };
}

export function addLabel(call, repo, { name, color = 'ededed', description = null }) {
  return call.rows('labels').create({
    key: labelKey(repo, name),
    repo: repo.full_name,
    id: call.nextId(),
    name,
    color,
    description,
    default: false,
  });
}

/** The labels with these names. @param options.make - whether those that are not there are made, as with an issue */
export function labelsNamed(call, repo, names, { make = false } = {}) {
  const rows = call.rows('labels');
  return names.map((name) => {
    const key = labelKey(repo, name);
    if (rows.has(key)) return rows.get(key);
    return make ? addLabel(call, repo, { name }) : { key, name, color: 'ededed', description: null };
  });
}
