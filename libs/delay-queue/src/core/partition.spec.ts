import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { partitionName, partitionOf } from './partition.js';

/** More partitions than a CRC-16 has values, so that the checksum itself comes out. */
const MORE_THAN_ALL = 65_536;

describe('partitionOf', () => {
  it.each([
    // The check value of CRC-16/XMODEM.
    ['123456789', 0x31c3],
    ['A', 0x58e5],
    ['a', 0x7c87],
    ['foo', 0xaf96],
    ['\0', 0],
  ])('takes the CRC-16 (XMODEM) of %j, which is %d', (id, checksum) => {
    expect(partitionOf(id, MORE_THAN_ALL)).toBe(checksum);
    expect(partitionOf(id, 16)).toBe(checksum % 16);
    expect(partitionOf(id, 256)).toBe(checksum % 256);
  });

  it.each(['é', 'e\u0301', '\u{1F600}', '{slot}', '注文'])('takes the bytes of UTF-8 of %j, all of them', (id) => {
    expect(partitionOf(id, MORE_THAN_ALL)).toBe(crc16Xmodem(Buffer.from(id)));
  });

  it('agrees with the definition of the checksum for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 256 }), (id, partitions) => {
        return partitionOf(id, partitions) === crc16Xmodem(Buffer.from(id)) % partitions;
      }),
    );
  });

  it.each([2, 3, 7, 16, 256])('spreads ids evenly over %d partitions', (partitions) => {
    const perPartition = 400;
    const counts = Array.from({ length: partitions }, () => 0);
    for (let index = 0; index < partitions * perPartition; index++) {
      const partition = partitionOf(`order:${index}`, partitions);
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    // Fixed ids give fixed counts: the bounds leave room for another set of ids, not for chance.
    expect(Math.min(...counts)).toBeGreaterThan(perPartition * 0.7);
    expect(Math.max(...counts)).toBeLessThan(perPartition * 1.3);
  });
});

describe('partitionName', () => {
  it('names the partition within its queue', () => {
    expect(partitionName({ type: 'order_timeout', partition: 3 })).toBe('order_timeout:3');
  });
});

/** The checksum as it is defined: polynomial 0x1021, start value 0, most significant bit first. */
function crc16Xmodem(bytes: Uint8Array): number {
  let remainder = 0;
  for (const byte of bytes) {
    remainder ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) {
      remainder = remainder & 0x8000 ? ((remainder << 1) ^ 0x1021) & 0xffff : (remainder << 1) & 0xffff;
    }
  }
  return remainder;
}
