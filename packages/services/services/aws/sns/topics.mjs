import { AwsError } from '../../../aws/errors.mjs';

/** What is wrong with a parameter. */
export function invalid(message) {
  return new AwsError('InvalidParameter', `Invalid parameter: ${message}`);
}

export function notFound(what) {
  return new AwsError('NotFound', `${what} does not exist`, { status: 404 });
}

/** The topic with this ARN. @throws what SNS answers when there is none */
export function topicOf(arn, call) {
  if (typeof arn !== 'string' || !/^arn:aws[\w-]*:sns:[^:]*:\d{12}:[\w.-]+$/.test(arn))
    throw invalid('TopicArn Reason: An ARN must have at least 6 elements');
  const row = call.find('topics', arn.slice(arn.lastIndexOf(':') + 1));
  if (row === undefined) throw notFound('Topic');
  return { attributes: {}, ...row, arn: row.arn ?? arn };
}
