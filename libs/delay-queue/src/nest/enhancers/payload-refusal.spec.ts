import { describe, expect, it } from '@jest/globals';
import { BadRequestException, HttpException, NotFoundException, UnprocessableEntityException } from '@nestjs/common';
import { buryRefused, isRefusal } from './payload-refusal.js';

describe('what a pipe throws', () => {
  it('is a refusal of the payload, or a mishap', () => {
    expect([new BadRequestException(), new UnprocessableEntityException()].every(isRefusal)).toBe(true);
    const mishaps = [new NotFoundException(), new HttpException('teapot', 418), new Error('no'), 'text', undefined];
    expect(mishaps.some(isRefusal)).toBe(false);
  });

  it.each<[HttpException, string]>([
    [new BadRequestException(['one', 'two']), 'payload refused: one; two'],
    [new BadRequestException('one'), 'payload refused: one'],
    [new HttpException('one', 400), 'payload refused: one'],
    [new BadRequestException([{ property: 'orderId' }]), 'payload refused: Bad Request Exception'],
    [new BadRequestException({ message: 7 }), 'payload refused: Bad Request Exception'],
    [new BadRequestException(), 'payload refused: Bad Request'],
  ])('%s: becomes the reason of a dead letter', (error, reason) => {
    expect(buryRefused(error).decision).toEqual({ kind: 'bury', reason, error });
  });
});
