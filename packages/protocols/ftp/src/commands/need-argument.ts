import { ReplyError } from '../reply-error.js';

/** Checks that a command has its argument. @throws ReplyError 501 */
export function needArgument(argument: string): void {
  if (argument === '') throw new ReplyError(501, 'an argument is missing');
}
