import { S3Client } from '@aws-sdk/client-s3';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['aws-s3'] });

function connect(): S3Client {
  return new S3Client({ endpoint: backlot.env.AWS_ENDPOINT_URL_S3, region: 'us-east-1' });
}

export { connect };
