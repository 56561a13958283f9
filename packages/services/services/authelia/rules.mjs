import { LEVELS, optionsOf } from './sessions.mjs';

/** What addresses are read of; a longer one is looked at up to here. */
const MAX_PATH = 2000;

/**
 * What the first rule that fits asks for, as the access control of Authelia has it.
 *
 * @param target - the `URL` and the `method` of the request that somebody wants to make
 * @param user - who it is, as far as it is known
 * @returns `policy`, and whether the rule was about people
 */
export function policyFor(context, { url, method }, user) {
  for (const rule of context.collection('authelia:rules').list()) {
    if (!listOf(rule.domain).some((domain) => isDomain(domain, url.hostname))) continue;
    if (rule.methods !== undefined && !listOf(rule.methods).includes(method)) continue;
    if (rule.resources !== undefined && !isResource(listOf(rule.resources), url)) continue;
    const isForPeople = rule.subject !== undefined;
    // Nobody knows yet whether the rule is for this one: a login tells.
    if (isForPeople && user === undefined) return { policy: rule.policy, isForPeople };
    if (isForPeople && !listOf(rule.subject).some((subject) => isSubject(listOf(subject), user))) continue;
    return { policy: rule.policy, isForPeople };
  }
  return { policy: optionsOf(context).default_policy, isForPeople: false };
}

function listOf(value) {
  return Array.isArray(value) ? value : [value];
}

function isDomain(pattern, host) {
  if (pattern === undefined || pattern === '*') return true;
  if (pattern.startsWith('*.')) return host.endsWith(pattern.slice(1));
  return pattern.endsWith('.*') ? host.startsWith(pattern.slice(0, -1)) : host === pattern;
}

function isResource(patterns, { pathname, search }) {
  const path = (pathname + search).slice(0, MAX_PATH);
  return patterns.some((pattern) => new RegExp(pattern).test(path));
}

function isSubject(all, { username, groups = [] }) {
  return all.every((subject) => {
    const [kind, name] = subject.split(':');
    return kind === 'user' ? name === username : kind === 'group' && groups.includes(name);
  });
}

/** What becomes of somebody of a level: `allowed`, `unauthorized` when a login may help, or `forbidden`. */
export function decide({ policy, isForPeople }, { user, level }) {
  if (policy === 'bypass') return 'allowed';
  if (policy === 'deny') return user === undefined && isForPeople ? 'unauthorized' : 'forbidden';
  return level >= LEVELS[policy] ? 'allowed' : 'unauthorized';
}
