import { AwsError } from '../../../aws/errors.mjs';

export function noQueue() {
  return new AwsError('QueueDoesNotExist', 'The specified queue does not exist.', {
    query: { code: 'AWS.SimpleQueueService.NonExistentQueue' },
  });
}

export function invalidValue(message) {
  return new AwsError('InvalidParameterValueException', message, {
    query: { code: 'InvalidParameterValue' },
  });
}

export function missing(name) {
  return new AwsError(
    'MissingRequiredParameterException',
    `The request must contain the parameter ${name}.`,
    {
      query: { code: 'MissingParameter' },
    },
  );
}
