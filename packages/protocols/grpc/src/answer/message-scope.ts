import type { CapturedGroups, TemplateScope } from '@backlot/core/plugin';
import type { GrpcMessage } from '../message.js';
import type { GrpcContext, GrpcMatch } from '../shape.js';

/** What the templates of a mock see of one message of a call: that message, and else what the call has. */
export class MessageScope implements TemplateScope {
  readonly request: TemplateScope['request'];
  readonly now: TemplateScope['now'];
  readonly random: TemplateScope['random'];
  readonly vars: TemplateScope['vars'];
  declare readonly keys?: NonNullable<TemplateScope['keys']>;
  declare readonly locals?: NonNullable<TemplateScope['locals']>;
  readonly #call: TemplateScope;

  constructor(call: TemplateScope, request: TemplateScope['request']) {
    this.#call = call;
    this.request = request;
    this.now = call.now;
    this.random = call.random;
    this.vars = call.vars;
    if (call.keys !== undefined) this.keys = call.keys;
    if (call.locals !== undefined) this.locals = call.locals;
  }

  state(key: string): string | undefined {
    return this.#call.state(key);
  }

  seq(name: string): number {
    return this.#call.seq(name);
  }
}

/**
 * Renders what one message of a call is answered with.
 *
 * @param captures - gives what the patterns for the message capture, beside those for the call
 */
export function rendererFor(
  context: GrpcContext,
  match: GrpcMatch,
  message: GrpcMessage,
  captures: () => CapturedGroups,
): Pick<GrpcMatch, 'render' | 'renderValue'> {
  let scope: MessageScope | undefined;
  const params = (): CapturedGroups => ({ ...match.params, ...captures() });
  const scopeOf = (): MessageScope =>
    (scope ??= new MessageScope(match.scope, context.templates.scope(message, params).request));
  return {
    render: (template) => (template.constant ? template.source : template.render(scopeOf())),
    renderValue: (template) => template.render(scopeOf()),
  };
}
