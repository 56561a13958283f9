import { find, invalidForm, limitOf, operation, rowsOf, snowflake, unknown } from './api.mjs';
import { dispatch } from './dispatch.mjs';
import { shownUser } from './people.mjs';

const guildOf = ({ context, params }) => find(context, 'guilds', params.guild, 'guild');
const shownRole = ({ guild_id: _, ...role }) => role;
const rolesOf = (context, guild) =>
  rowsOf(context, 'roles')
    .list()
    .filter(({ guild_id: id }) => id === guild)
    .map(shownRole);

function shownMember(context, { id: _, guild_id: __, user_id: user, ...member }) {
  return { ...member, user: shownUser(rowsOf(context, 'users').get(user)) };
}

/** The members of a guild, in the order of their ids. */
export function membersOf(context, guild) {
  return rowsOf(context, 'members')
    .list()
    .filter(({ guild_id: id }) => id === guild)
    .sort((one, other) => (BigInt(one.user_id) < BigInt(other.user_id) ? -1 : 1))
    .map((row) => shownMember(context, row));
}

export const get = operation((call) => {
  const guild = guildOf(call);
  return { json: { ...guild, roles: rolesOf(call.context, guild.id) } };
});

export const update = operation((call) => {
  const { id } = guildOf(call);
  const { name } = call.body;
  if (name !== undefined && (typeof name !== 'string' || name.length < 2 || name.length > 100))
    throw invalidForm([['name', 'BASE_TYPE_BAD_LENGTH', 'Must be between 2 and 100 in length.']]);
  const { id: _, roles: __, ...fields } = call.body;
  const json = { ...rowsOf(call.context, 'guilds').update(id, fields), roles: rolesOf(call.context, id) };
  dispatch(call.context, 'GUILD_UPDATE', json);
  return { json };
});

export const listMembers = operation((call) => {
  const { id } = guildOf(call);
  const after = BigInt(/^\d+$/.test(call.query.after ?? '') ? call.query.after : 0);
  const members = membersOf(call.context, id).filter(({ user }) => BigInt(user.id) > after);
  return { json: members.slice(0, limitOf(call.query, 1, 1000)) };
});

export const searchMembers = operation((call) => {
  const { id } = guildOf(call);
  const begin = String(call.query.query ?? '').toLowerCase();
  const members = membersOf(call.context, id).filter(({ user, nick }) =>
    [user.username, nick ?? ''].some((name) => name.toLowerCase().startsWith(begin)),
  );
  return { json: members.slice(0, limitOf(call.query, 1, 1000)) };
});

function memberOf(call) {
  return find(call.context, 'members', `${guildOf(call).id}:${call.params.user}`, 'member');
}

function change(call, { id, guild_id: guild }, fields) {
  const member = shownMember(call.context, rowsOf(call.context, 'members').update(id, fields));
  dispatch(call.context, 'GUILD_MEMBER_UPDATE', { guild_id: guild, ...member });
  return member;
}

export const getMember = operation((call) => ({ json: shownMember(call.context, memberOf(call)) }));

export const updateMember = operation((call) => {
  const row = memberOf(call);
  const { nick, roles, mute, deaf, communication_disabled_until: until } = call.body;
  if (typeof nick === 'string' && nick.length > 32)
    throw invalidForm([['nick', 'BASE_TYPE_MAX_LENGTH', 'Must be 32 or fewer in length.']]);
  const given = { nick, roles, mute, deaf, communication_disabled_until: until };
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  return { json: change(call, row, Object.fromEntries(fields)) };
});

function takeOut(call, row) {
  rowsOf(call.context, 'members').remove(row.id);
  const user = shownUser(rowsOf(call.context, 'users').get(row.user_id));
  dispatch(call.context, 'GUILD_MEMBER_REMOVE', { guild_id: row.guild_id, user });
}

export const removeMember = operation((call) => {
  takeOut(call, memberOf(call));
  return { status: 204 };
});

const roleOf = (call) => {
  const role = find(call.context, 'roles', call.params.role, 'role');
  if (role.guild_id !== call.params.guild) throw unknown('role');
  return role;
};

export const addRole = operation((call) => {
  const row = memberOf(call);
  const { id } = roleOf(call);
  if (!row.roles.includes(id)) change(call, row, { roles: [...row.roles, id] });
  return { status: 204 };
});

export const takeRole = operation((call) => {
  const row = memberOf(call);
  const { id } = roleOf(call);
  change(call, row, { roles: row.roles.filter((one) => one !== id) });
  return { status: 204 };
});

export const listBans = operation((call) => {
  const { id } = guildOf(call);
  const rows = rowsOf(call.context, 'bans').list();
  const users = rowsOf(call.context, 'users');
  return {
    json: rows
      .filter(({ guild_id: guild }) => guild === id)
      .map(({ reason, user_id: user }) => ({ reason, user: shownUser(users.get(user)) })),
  };
});

export const ban = operation((call) => {
  const { id: guild } = guildOf(call);
  const user = find(call.context, 'users', call.params.user, 'user');
  const key = `${guild}:${user.id}`;
  const reason = call.request.headers['x-audit-log-reason'];
  const rows = rowsOf(call.context, 'bans');
  if (!rows.has(key))
    rows.create({
      id: key,
      guild_id: guild,
      user_id: user.id,
      reason: reason === undefined ? null : decodeURIComponent(reason),
    });
  const members = rowsOf(call.context, 'members');
  if (members.has(key)) takeOut(call, members.get(key));
  dispatch(call.context, 'GUILD_BAN_ADD', { guild_id: guild, user: shownUser(user) });
  return { status: 204 };
});

export const unban = operation((call) => {
  const { id: guild } = guildOf(call);
  const row = find(call.context, 'bans', `${guild}:${call.params.user}`, 'ban');
  rowsOf(call.context, 'bans').remove(row.id);
  const user = shownUser(rowsOf(call.context, 'users').get(row.user_id));
  dispatch(call.context, 'GUILD_BAN_REMOVE', { guild_id: guild, user });
  return { status: 204 };
});

const ROLE_FIELDS = ['name', 'color', 'hoist', 'permissions', 'mentionable', 'unicode_emoji'];

function readRole(body) {
  if (body.name !== undefined && (typeof body.name !== 'string' || body.name.length > 100))
    throw invalidForm([['name', 'BASE_TYPE_MAX_LENGTH', 'Must be 100 or fewer in length.']]);
  return Object.fromEntries(
    ROLE_FIELDS.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  );
}

export const listRoles = operation((call) => ({ json: rolesOf(call.context, guildOf(call).id) }));

export const createRole = operation((call) => {
  const { id: guild } = guildOf(call);
  const fields = { name: 'new role', ...readRole(call.body) };
  const role = shownRole(
    rowsOf(call.context, 'roles').create({ id: snowflake(call.context), guild_id: guild, ...fields }),
  );
  dispatch(call.context, 'GUILD_ROLE_CREATE', { guild_id: guild, role });
  return { json: role };
});

export const updateRole = operation((call) => {
  const { id, guild_id: guild } = roleOf(call);
  const role = shownRole(rowsOf(call.context, 'roles').update(id, readRole(call.body)));
  dispatch(call.context, 'GUILD_ROLE_UPDATE', { guild_id: guild, role });
  return { json: role };
});

export const removeRole = operation((call) => {
  const { id, guild_id: guild } = roleOf(call);
  rowsOf(call.context, 'roles').remove(id);
  dispatch(call.context, 'GUILD_ROLE_DELETE', { guild_id: guild, role_id: id });
  return { status: 204 };
});
