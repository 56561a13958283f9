import type { WildcardSyntax } from '@backlot/kit/wildcards';

/** Whose wildcards the destinations of subscriptions have. */
export type WildcardStyle = 'rabbitmq' | 'activemq' | 'none';

/** The wildcards of topics. */
export const TOPIC_SYNTAXES: Readonly<Record<WildcardStyle, WildcardSyntax | undefined>> = {
  rabbitmq: { separator: '.', one: '*', many: '#', manyMatchesParent: true, manyAnywhere: true },
  activemq: { separator: '.', one: '*', many: '>', manyMatchesParent: true },
  none: undefined,
};

/** The wildcards of queues: RabbitMQ has none, there such a name is that of a queue like any other. */
export const QUEUE_SYNTAXES: Readonly<Record<WildcardStyle, WildcardSyntax | undefined>> = {
  ...TOPIC_SYNTAXES,
  rabbitmq: undefined,
};

/**
 * The pattern of a destination with wildcards, which begins behind `prefix`; a word with other characters is no wildcard.
 *
 * @returns `undefined` for one without
 */
export function patternOf(
  destination: string,
  prefix: string,
  syntax: WildcardSyntax | undefined,
): string | undefined {
  if (syntax === undefined || !destination.startsWith(prefix)) return undefined;
  const { one, many } = syntax;
  if (!destination.includes(one) && !destination.includes(many)) return undefined;
  const pattern = destination.slice(prefix.length);
  return pattern.split('.').some((word) => word === one || word === many) ? pattern : undefined;
}
