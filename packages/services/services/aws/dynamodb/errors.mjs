import { AwsError } from '../../../aws/errors.mjs';

/** What is wrong with the parameters of a call. */
export function validation(message) {
  return new AwsError('ValidationException', message);
}

export function tableNotFound(name) {
  return new AwsError('ResourceNotFoundException', `Requested resource not found: Table: ${name} not found`);
}

/** @param item - the item as it is, when the call wants to be told */
export function conditionFailed(item) {
  return new AwsError('ConditionalCheckFailedException', 'The conditional request failed', {
    fields: item === undefined ? {} : { Item: item },
  });
}
