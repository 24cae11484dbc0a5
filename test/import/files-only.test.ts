/** Messages that have only a file, a picture or a refusal: this becomes their text, and they are not left out. */
import { expect, it } from 'vitest';
import { folderWith, lines, openImportBench, said } from './bench.js';

const chatgpt = (message: object) => ({
  'conversations.json': [
    { id: 'c', mapping: { a: { message: { id: 'a', author: { role: 'user' }, ...message } } } },
  ],
});
const claude = (message: object) => ({
  'conversations.json': [
    { uuid: 'c', chat_messages: [{ uuid: 'm', sender: 'human', text: '', ...message }] },
  ],
});
const codeLine = (uuid: string, content: unknown) => ({
  type: 'user',
  uuid,
  parentUuid: null,
  sessionId: 's',
  message: { content },
});

it.each<[string, Record<string, string | object>, string[]]>([
  [
    'ChatGPT: an attachment beside an empty text',
    chatgpt({
      content: { content_type: 'text', parts: [''] },
      metadata: { attachments: [{ id: 'file-1', name: 'a.pdf' }] },
    }),
    ['user: [file: a.pdf]'],
  ],
  [
    'ChatGPT: a part that is a file',
    chatgpt({
      content: {
        content_type: 'multimodal_text',
        parts: [
          { content_type: 'file', name: 'a.pdf' },
          { content_type: 'file_asset_pointer', asset_pointer: 'file-service://file-9' },
          { content_type: 'audio_transcription', text: '' },
        ],
      },
    }),
    ['user: [file: a.pdf]\n\n[file: file-9]'],
  ],
  [
    'ChatGPT: content that is a file',
    chatgpt({ content: { content_type: 'file', name: 'a.pdf' } }),
    ['user: [file: a.pdf]'],
  ],
  [
    'Claude.ai: an uploaded file without a name',
    claude({ content: [], files: [{ file_uuid: 'f1', file_kind: 'image' }] }),
    ['user: [image: f1]'],
  ],
  [
    'Claude.ai: a block that is an image',
    claude({ content: [{ type: 'image', source: { type: 'base64' } }] }),
    ['user: [image]'],
  ],
  [
    'Claude.ai: a note that was spoken',
    claude({ content: [{ type: 'voice_note', title: 'T', text: 'spoken' }] }),
    ['user: spoken'],
  ],
  [
    'LibreChat: files of the user, pictures of the assistant',
    {
      'a.json': {
        conversationId: 'c',
        messages: [
          {
            messageId: 'm',
            text: '',
            isCreatedByUser: true,
            files: [{ file_id: 'x', filename: 'a.pdf', type: 'application/pdf' }],
          },
          {
            messageId: 'n',
            parentMessageId: 'm',
            text: '',
            content: [
              { type: 'text', text: 'hey' },
              { type: 'image_file', image_file: { filename: 'x.png' } },
            ],
          },
        ],
      },
    },
    ['user: [file: a.pdf]', 'assistant: hey\n\n[image: x.png]'],
  ],
  [
    'OpenWebUI: a file',
    {
      'a.json': [
        {
          id: 'c',
          chat: {
            history: {
              messages: { a: { role: 'user', content: '', files: [{ type: 'file', name: 'a' }] } },
            },
          },
        },
      ],
    },
    ['user: [file: a]'],
  ],
  [
    'messages with role and content: refusals and files',
    {
      'a.json': {
        messages: [
          { role: 'user', content: '', attachments: [{ name: 'a.pdf' }] },
          { role: 'assistant', content: null, refusal: 'I cannot.' },
          { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
          { role: 'user', content: [{ type: 'document', title: 'b.pdf', source: {} }] },
          { role: 'user', content: [{ type: 'input_file', filename: 'c.pdf' }] },
          { role: 'user', content: [{ type: 'tool_result', name: 'Bash' }] },
        ],
      },
    },
    [
      'user: [file: a.pdf]',
      'assistant: I cannot.',
      'assistant: No.',
      'user: [file: b.pdf]',
      'user: [file: c.pdf]',
    ],
  ],
  [
    'Gemini CLI: pictures and files as parts; a part that is a thought is no text',
    {
      'shed/chats/session-1.jsonl': lines(
        { sessionId: 's', projectHash: 'p', startTime: '2026-01-01T00:00:00Z' },
        { id: 'a', type: 'user', content: [{ inlineData: { mimeType: 'image/png', data: 'x' } }] },
        {
          id: 'b',
          type: 'user',
          content: [{ fileData: { mimeType: 'application/pdf', fileUri: 'gs://a.pdf' } }],
        },
        { id: 'c', type: 'gemini', content: [{ thought: true, text: 'hm' }, { text: 'answer' }] },
      ),
    },
    ['user: [image]', 'user: [file: gs://a.pdf]', 'assistant: answer'],
  ],
  [
    'Cursor, command line: an image',
    {
      'shed/agent-transcripts/s/s.jsonl': lines({
        role: 'user',
        message: { content: [{ type: 'image', path: '/x/a.png' }] },
      }),
    },
    ['user: [image: /x/a.png]'],
  ],
  [
    'Claude Code: a document',
    {
      'projects/p/s.jsonl': lines(codeLine('u', [{ type: 'document', title: 'a.pdf' }])),
    },
    ['user: [file: a.pdf]'],
  ],
  [
    'Codex: an image, without the tags around it',
    {
      'rollout-1-s.jsonl': lines(
        { type: 'session_meta', payload: { id: 's' } },
        {
          type: 'response_item',
          payload: {
            type: 'message',
            role: 'user',
            content: [
              { type: 'input_text', text: '<image name=[Image #1]>' },
              { type: 'input_image', image_url: 'data:image/png;base64,xx' },
              { type: 'input_text', text: '</image>' },
            ],
          },
        },
      ),
    },
    ['user: [image: inline]'],
  ],
  [
    'Gemini Apps: a prompt that is only a file',
    {
      'MyActivity.json': [
        {
          header: 'Gemini Apps',
          title: 'Prompted',
          time: '2026-01-01T00:00:00Z',
          attachedFiles: ['a.png'],
          safeHtmlItem: [{ html: '<p>nice</p>' }],
        },
      ],
    },
    ['user: [file: a.png]', 'assistant: nice'],
  ],
])('a message that has only files is imported: %s', async (_what, files, texts) => {
  const bench = await openImportBench();
  const report = await bench.import(folderWith(files));
  expect(report).toMatchObject({ added: 1, skipped: 0, problems: [] });
  expect(said(bench.jsonOf(bench.folders()[0] ?? ''))).toEqual(texts);
});
