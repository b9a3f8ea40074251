import { readFileSync } from 'node:fs';
import type { HelperSpec } from './helper-responses.ts';
import { loadYaml } from './scalars.ts';

/** The sender of a request. */
export type Identity =
  | 'admin'
  | 'anonymous'
  | { token: string }
  | {
      frontProxy: string;
      user?: string;
      groups?: string[];
      extra?: Record<string, string[]>;
      wrongCA?: boolean;
    }
  | { user: string; groups?: string[]; wrongCA?: boolean };

/** A request of a step. */
export interface StepRequest {
  method?: string;
  path: string;
  headers?: Record<string, string | string[]>;
  body?: unknown;
  text?: string;
}

/** One step of a recording; the optional fields determine its action. */
export interface RecordedStep {
  id?: string;
  as?: Identity;
  request?: StepRequest;
  headers?: Record<string, string | string[]>;
  until?: Record<string, unknown>;
  untilStatus?: number;
  within?: number;
  ignore?: string[];
  only?: string[];
  pick?: { path: string; key: string; among: string[] };
  sort?: string[];
  compare?: 'body' | 'status' | 'none';
  managedFields?: boolean;
  watch?: string;
  events?: { watch: string; count?: number; timeout?: number; closed?: boolean };
  sleep?: number;
  stop?: string;
  calls?: string;
  count?: boolean;
  first?: number;
  where?: Record<string, unknown>;
  response?: Record<string, unknown>;
}

/** A recorded conversation with a server. */
export interface Recording {
  name: string;
  about?: string;
  /** Several errors of one field are compared in order. */
  ordered?: boolean;
  servers?: Record<string, HelperSpec>;
  steps: RecordedStep[];
}

/** Reads a recording. */
export function readRecording(path: string): Recording {
  return loadYaml(readFileSync(path, 'utf8')) as Recording;
}
