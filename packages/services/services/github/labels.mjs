import { created, GithubError, invalid, NOTHING, operation, page } from './api.mjs';
import { deliver } from './deliver.mjs';
import { repoOf } from './history.mjs';
import { issueOf, shownIssue } from './issues.mjs';
import { addLabel, labelKey, labelsNamed, shownLabel } from './label-rows.mjs';

function labelOf(call, repo) {
  return call.find('labels', labelKey(repo, call.params.name));
}

export const list = operation(
  (call) => {
    const repo = repoOf(call);
    return page(
      call,
      call.of('labels', repo).map((row) => shownLabel(call, repo, row)),
    );
  },
  { open: true },
);
export const create = operation((call) => {
  const repo = repoOf(call);
  const name = call.text('name', 'Label');
  const { color = 'ededed', description = null } = call.body;
  if (!/^[0-9a-f]{6}$/i.test(String(color))) throw invalid('Label', 'color', 'invalid');
  if (call.rows('labels').has(labelKey(repo, name))) throw invalid('Label', 'name', 'already_exists');
  return created(shownLabel(call, repo, addLabel(call, repo, { name, color, description })));
});
export const get = operation(
  (call) => {
    const repo = repoOf(call);
    return shownLabel(call, repo, labelOf(call, repo));
  },
  { open: true },
);
export const update = operation((call) => {
  const repo = repoOf(call);
  const row = labelOf(call, repo);
  const { new_name: name = row.name, color = row.color, description = row.description } = call.body;
  const rows = call.rows('labels');
  if (name === row.name) return shownLabel(call, repo, rows.replace(row.key, { ...row, color, description }));
  if (rows.has(labelKey(repo, name))) throw invalid('Label', 'name', 'already_exists');
  rows.remove(row.key);
  for (const issue of call.of('issues', repo))
    if (issue.labels.includes(row.name))
      call
        .rows('issues')
        .update(issue.key, { labels: issue.labels.map((one) => (one === row.name ? name : one)) });
  return shownLabel(call, repo, rows.create({ ...row, key: labelKey(repo, name), name, color, description }));
});
export const remove = operation((call) => {
  const repo = repoOf(call);
  const row = labelOf(call, repo);
  call.rows('labels').remove(row.key);
  for (const issue of call.of('issues', repo))
    if (issue.labels.includes(row.name))
      call.rows('issues').update(issue.key, { labels: issue.labels.filter((one) => one !== row.name) });
  return NOTHING;
});

const ofIssue = (call, repo, names) =>
  labelsNamed(call, repo, names).map((label) => shownLabel(call, repo, label));

function givenNames(call) {
  const { body } = call.request;
  const labels = Array.isArray(body) ? body : body?.labels;
  if (!Array.isArray(labels)) throw new GithubError(422, 'Invalid request.\n\n"labels" wasn\'t supplied.');
  return labels.map((label) => (typeof label === 'string' ? label : String(label?.name)));
}

/** Gives an issue other labels, and tells who listens of those that are new and gone. */
export function setLabels(call, repo, issue, names) {
  const labels = [...new Set(names)];
  labelsNamed(call, repo, labels, { make: true });
  const after = call.rows('issues').update(issue.key, { labels, updated_at: call.now });
  const tell = (action, name) => {
    const [label] = ofIssue(call, repo, [name]);
    deliver(call, repo, 'issues', { action, label, issue: shownIssue(call, repo, after) });
  };
  for (const name of labels) if (!issue.labels.includes(name)) tell('labeled', name);
  for (const name of issue.labels) if (!labels.includes(name)) tell('unlabeled', name);
  return ofIssue(call, repo, labels);
}

export const listOfIssue = operation(
  (call) => {
    const repo = repoOf(call);
    return page(call, ofIssue(call, repo, issueOf(call, repo).labels));
  },
  { open: true },
);
export const addToIssue = operation((call) => {
  const repo = repoOf(call);
  const issue = issueOf(call, repo);
  return setLabels(call, repo, issue, [...issue.labels, ...givenNames(call)]);
});
export const setOfIssue = operation((call) => {
  const repo = repoOf(call);
  return setLabels(call, repo, issueOf(call, repo), givenNames(call));
});
export const clearIssue = operation((call) => {
  const repo = repoOf(call);
  setLabels(call, repo, issueOf(call, repo), []);
  return NOTHING;
});
export const removeFromIssue = operation((call) => {
  const repo = repoOf(call);
  const issue = issueOf(call, repo);
  if (!issue.labels.includes(call.params.name)) throw new GithubError(404, 'Label does not exist');
  return setLabels(
    call,
    repo,
    issue,
    issue.labels.filter((name) => name !== call.params.name),
  );
});
