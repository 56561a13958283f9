import { SQSClient } from '@aws-sdk/client-sqs';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['aws'] });

function connect(): SQSClient {
  return new SQSClient({ endpoint: backlot.env.AWS_ENDPOINT_URL, region: 'us-east-1' });
}

export { connect };
