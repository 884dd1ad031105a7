import { MemoryRateLog } from '../../src/media-api/memory-rate-log.ts';
import { testRateLog } from './rate-log-contract.ts';

testRateLog(() => Promise.resolve(new MemoryRateLog()));
