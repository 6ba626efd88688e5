import { describe, expect, it } from 'vitest';
import { errorIn, pageIn } from './s3-answers.ts';

const answer = (status: number, text: string) => ({ status, body: Buffer.from(text) });
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

describe('an error of S3', () => {
  it('has its code as its name, and no text of S3', () => {
    const text = `${declaration}<Error><Code>NoSuchKey</Code><Message>The key &lt;a&gt; does not exist.</Message><Key>a</Key></Error>`;
    expect(errorIn(answer(404, text))).toMatchObject({
      name: 'NoSuchKey',
      message: 'S3 answered 404: NoSuchKey',
    });
  });

  it.each([
    '',
    '<html><body>Bad Gateway<br></body></html>',
    '<Error><Code>NoSuchKey</Code>',
    '<Error/>',
    '{}',
  ])('is named by its status if it is not one of its own: %j', (text) => {
    expect(errorIn(answer(503, text))).toMatchObject({ name: 'S3Error503', message: 'S3 answered 503' });
  });
});

describe('a page of a list', () => {
  const list = (content: string) =>
    `${declaration}<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix>history/</Prefix>${content}</ListBucketResult>`;
  const contents = (...keys: string[]) =>
    keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('');

  it('has the keys and the token of the next one', () => {
    const token = '<NextContinuationToken>1ueGcxL&amp;PRpTqXExample=</NextContinuationToken>';
    expect(pageIn(answer(200, list(`<IsTruncated>true</IsTruncated>${token}${contents('a', 'b')}`)))).toEqual(
      {
        keys: ['a', 'b'],
        next: '1ueGcxL&PRpTqXExample=',
      },
    );
  });

  it('is empty without contents', () => {
    expect(pageIn(answer(200, list('')))).toEqual({ keys: [], next: undefined });
  });

  it('has all keys, whatever characters they have', () => {
    const keys = ['a &lt;&gt;&amp;&quot;&apos; b', '战旗', 'c&#13;d&#x9;&#1;', "~!'()*"];
    expect(pageIn(answer(200, list(contents(...keys)))).keys).toEqual([
      `a <>&"' b`,
      '战旗',
      'c\rd\t\u0001',
      "~!'()*",
    ]);
  });

  it('is refused if it is cut off or no list, in place of being shorter', () => {
    const whole = list(contents('a', 'b', 'c'));
    for (const text of [whole.slice(0, -30), whole.slice(0, 300), '', '<html></html>'])
      expect(() => pageIn(answer(200, text))).toThrow(SyntaxError);
    expect(() => pageIn(answer(403, '<Error><Code>AccessDenied</Code></Error>'))).toThrow('S3 answered 403');
  });
});
