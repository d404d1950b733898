import { crc16xmodem } from 'crc';

/** One partition of one task type: the unit that has its own keys, its own fence and its own lane. */
export interface PartitionRef {
  readonly type: string;
  /** From 0 to the type's number of partitions less one. */
  readonly partition: number;
}

/** Tells which partition a task id belongs to: CRC-16 (XMODEM) of its UTF-8 bytes, modulo the number of partitions. */
export function partitionOf(id: string, partitions: number): number {
  if (partitions === 1) return 0;
  return crc16xmodem(Buffer.from(id)) % partitions;
}

/** A text that names a partition within one queue, for maps and log lines: `order_timeout:0`. */
export function partitionName(ref: PartitionRef): string {
  return `${ref.type}:${ref.partition}`;
}
