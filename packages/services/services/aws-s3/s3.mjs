import { makeFaults } from '../../aws/faults.mjs';
import { makeS3 } from '../../aws/s3/index.mjs';

const base = '/aws-s3';

export const { answer, listLate } = makeS3({ collections: 'aws-s3:', base });

export const { throttled, outage, wrongCredentials, expiredToken, clockSkew } = makeFaults({ base, answer });
