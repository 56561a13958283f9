import { BOT, find, invalidForm, operation, rowsOf, snowflake, unknown } from './api.mjs';

const NAME = /^[-_'\p{L}\p{N}]{1,32}$/u;

/** The application of a path, and the guild when it names one. */
function placeOf({ context, params }) {
  if (params.application !== BOT) throw unknown('application');
  return params.guild === undefined ? null : find(context, 'guilds', params.guild, 'guild').id;
}

const ofGuild = (context, guild) =>
  rowsOf(context, 'commands')
    .list()
    .filter(({ guild_id: id }) => id === guild);

const shown = ({ guild_id: guild, ...row }) => (guild === null ? row : { ...row, guild_id: guild });

function* problemsOf({ name, description, type = 1 } = {}, at = '') {
  if (typeof name !== 'string') yield [`${at}name`, 'BASE_TYPE_REQUIRED', 'This field is required'];
  else if (type === 1 && (!NAME.test(name) || name !== name.toLowerCase()))
    yield [`${at}name`, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid'];
  if (type === 1 && (typeof description !== 'string' || description === '' || description.length > 100))
    yield [`${at}description`, 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.'];
}

function make(context, guild, { name, description = '', type = 1, options = [], ...more }) {
  const before = ofGuild(context, guild).find((row) => row.name === name && row.type === type);
  const id = before?.id ?? snowflake(context);
  if (before !== undefined) rowsOf(context, 'commands').remove(id);
  return rowsOf(context, 'commands').create({
    default_member_permissions: null,
    nsfw: false,
    ...more,
    id,
    application_id: BOT,
    guild_id: guild,
    name,
    description,
    type,
    options,
    version: snowflake(context),
  });
}

export const list = operation((call) => ({ json: ofGuild(call.context, placeOf(call)).map(shown) }));

export const create = operation((call) => {
  const guild = placeOf(call);
  const problems = [...problemsOf(call.body)];
  if (problems.length > 0) throw invalidForm(problems);
  return { status: 201, json: shown(make(call.context, guild, call.body)) };
});

/** Puts these commands in place of all. */
export const setAll = operation((call) => {
  const guild = placeOf(call);
  const given = call.body;
  if (!Array.isArray(given))
    throw invalidForm([['commands', 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType']]);
  const problems = given.flatMap((one, index) => [...problemsOf(one, `${index}.`)]);
  if (problems.length > 0) throw invalidForm(problems);
  const rows = given.map((one) => make(call.context, guild, one));
  const kept = new Set(rows.map(({ id }) => id));
  for (const { id } of ofGuild(call.context, guild))
    if (!kept.has(id)) rowsOf(call.context, 'commands').remove(id);
  return { json: rows.map(shown) };
});

export const remove = operation((call) => {
  const guild = placeOf(call);
  const row = find(call.context, 'commands', call.params.command, 'application command');
  if (row.guild_id !== guild) throw unknown('application command');
  rowsOf(call.context, 'commands').remove(row.id);
  return { status: 204 };
});
