-- Stories with their votes, and the ten that have most: a view on a view.
--
--     python -m groundswell run examples/stories.sql --once
--
-- Changed from the text it is taken from: the column user of Votes is user_id, as its query calls
-- it; the top ten, which the text only draws, is written out.
CREATE PIPELINE stories LOCATION '/tmp/groundswell-stories';

CREATE TABLE Stories (id int, author int, title text, url text, PRIMARY KEY id);
CREATE TABLE Votes (user_id int, story_id int);

CREATE MATERIALIZED VIEW StoriesWithVC AS
SELECT id, author, title, url, vcount
FROM stories
JOIN (
    SELECT story_id, COUNT(DISTINCT user_id) AS vcount
    FROM votes GROUP BY story_id
) VoteCount
ON VoteCount.story_id = stories.id;

CREATE MATERIALIZED VIEW Top10VotedStories AS
SELECT * FROM StoriesWithVC ORDER BY vcount DESC, id LIMIT 10;

INSERT INTO Stories
SELECT id, id % 3, concat('story ', id), concat('https://example.org/', id) FROM range(12);
INSERT INTO Votes SELECT user_id, story_id FROM range(12) s(story_id)
JOIN range(12) u(user_id) ON user_id <= story_id;
INSERT INTO Votes VALUES (0, 11);
FLUSH;
SELECT id, title, vcount FROM Top10VotedStories ORDER BY vcount DESC;

DELETE FROM Votes WHERE story_id = 11 AND user_id > 1;
FLUSH;
SELECT id, title, vcount FROM Top10VotedStories ORDER BY vcount DESC LIMIT 3;
SELECT id, title, vcount FROM StoriesWithVC WHERE id = 11;
