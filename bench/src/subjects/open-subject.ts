import { openBeeQueue } from './bee-queue.js';
import { openBull } from './bull.js';
import { openBullMq } from './bullmq.js';
import { openDelayQueue } from './nestjs-delay-queue.js';
import { openRaw } from './raw.js';
import type { OpenSubject, SubjectName } from './subject.js';

const SUBJECTS: Readonly<Record<SubjectName, OpenSubject>> = {
  'nestjs-delay-queue': openDelayQueue,
  bullmq: openBullMq,
  'bee-queue': openBeeQueue,
  bull: openBull,
  raw: openRaw,
};

/** Finds the adapter of a subject. */
export function subjectOf(name: SubjectName): OpenSubject {
  return SUBJECTS[name];
}
