/** The route of the command by which workers read their configuration again; no route of the management API has this name. */
export const RELOAD = 'reloadConfiguration';
