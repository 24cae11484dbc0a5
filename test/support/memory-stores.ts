/**
 * The conversation store and the job records in memory, as far as research needs them, for tests
 * until the stores over files are there. One instance may serve several services, as one folder would.
 */
import { AppError } from '../../src/base/errors.js';
import { newUuid } from '../../src/base/ids.js';
import {
  CLIENT_ID,
  CONVERSATION_ID,
  type Conversation,
  type Message,
} from '../../src/stores/conversations/schema.js';
import type {
  AppendOptions,
  AppendResult,
  ConversationStore,
  NewConversation,
  NewMessage,
} from '../../src/stores/conversations.js';
import {
  type JobLease,
  type ResearchJob,
  type ResearchJobs,
  researchJobSchema,
} from '../../src/stores/research-jobs.js';

export class MemoryStore implements ConversationStore, ResearchJobs {
  readonly files = new Map<string, string>();
  readonly jobFiles = new Map<string, string>();
  readonly jobStates: string[] = [];
  readonly leases = new Set<string>();
  failWrites: AppError | undefined;
  failJobWrites: AppError | undefined;
  #next = 1_706_102_400_123;

  async create(wanted: NewConversation): Promise<Conversation> {
    if (this.failWrites) throw this.failWrites;
    const conversationId = `20240124-${this.#next++}`;
    const now = new Date(1_706_102_400_123).toISOString();
    const messages = (wanted.messages ?? []).map((message) => stored(message));
    const conversation: Conversation = {
      conversationId,
      createdAt: now,
      updatedAt: now,
      messageCount: messages.length,
      ...(wanted.title === undefined ? {} : { title: wanted.title }),
      ...(wanted.clientId === undefined ? {} : { clientId: wanted.clientId }),
      messages,
    };
    this.files.set(conversationId, JSON.stringify(conversation));
    return conversation;
  }

  async load(ref: string): Promise<Conversation> {
    if (!CONVERSATION_ID.test(ref) && !CLIENT_ID.test(ref)) {
      throw new AppError('VALIDATION_ERROR', 'not an id');
    }
    for (const text of this.files.values()) {
      const conversation = JSON.parse(text) as Conversation;
      if (conversation.conversationId === ref || conversation.clientId === ref) return conversation;
    }
    throw new AppError('CONVERSATION_NOT_FOUND', `no conversation ${ref}`);
  }

  async append(
    ref: string,
    messages: readonly NewMessage[],
    options: AppendOptions = {},
  ): Promise<AppendResult> {
    const current = await this.load(ref);
    const seq = current.messages.length + 1;
    if (options.unless?.(current)) return { head: current, messages: [], seq, created: false };
    if (this.failWrites) throw this.failWrites;
    const added = messages.map((message) => stored(message));
    const all = [...current.messages, ...added];
    const next = { ...current, messages: all, messageCount: all.length };
    this.files.set(current.conversationId, JSON.stringify(next));
    return { head: next, messages: added, seq, created: false };
  }

  async list() {
    return [...this.jobFiles].map(([conversationId, text]) => ({
      ...(JSON.parse(this.files.get(conversationId) ?? '{}') as Conversation),
      conversationId,
      job: researchJobSchema.parse(JSON.parse(text)),
    }));
  }

  async exists(ref: string): Promise<boolean> {
    return this.files.has(ref);
  }

  path(conversationId: string): string {
    return `/memory/conversation-logs/${conversationId}`;
  }

  async get(conversationId: string): Promise<ResearchJob | undefined> {
    const text = this.jobFiles.get(conversationId);
    if (text === 'damaged') throw new AppError('CORRUPT', 'job.json is no JSON');
    return text === undefined ? undefined : researchJobSchema.parse(JSON.parse(text));
  }

  async put(conversationId: string, job: ResearchJob): Promise<void> {
    if (this.failJobWrites) throw this.failJobWrites;
    this.jobStates.push(job.runId === undefined ? job.state : `${job.state} ${job.runId}`);
    this.jobFiles.set(conversationId, JSON.stringify(researchJobSchema.parse(job)));
  }

  async remove(conversationId: string): Promise<void> {
    this.jobFiles.delete(conversationId);
  }

  async discard(conversationId: string): Promise<void> {
    this.jobFiles.delete(conversationId);
    const { messages } = await this.load(conversationId);
    if (messages.every((message) => message.role === 'system')) this.files.delete(conversationId);
  }

  async tryLease(conversationId: string): Promise<JobLease | undefined> {
    if (this.leases.has(conversationId)) return undefined;
    this.leases.add(conversationId);
    let held = true;
    return {
      release: async () => {
        if (held) this.leases.delete(conversationId);
        held = false;
      },
    };
  }
}

function stored(message: NewMessage): Message {
  return { id: newUuid(), createdAt: new Date(1_706_102_400_123).toISOString(), ...message };
}
