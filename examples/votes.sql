-- Votes per story, as votes come and are taken back.
--
--     python -m groundswell run examples/votes.sql --once
--
-- Changed from the text it is taken from: the query is given a name as a view; HAVING names the
-- aggregate, since Spark, too, knows the name vcount, but not every reader does. FLUSH waits for a
-- barrier, so that the SELECT after it sees what was written.
CREATE PIPELINE votes LOCATION '/tmp/groundswell-votes';

CREATE TABLE Votes(user_id int, story_id int);

CREATE MATERIALIZED VIEW StoriesVC AS
SELECT story_id, COUNT(*) AS vcount
FROM Votes GROUP BY story_id
HAVING COUNT(*) >= 2;

INSERT INTO Votes VALUES (1,1), (2,1), (3,2);
FLUSH;
SELECT * FROM StoriesVC;

DELETE FROM Votes WHERE user_id = 1 AND story_id = 1;
FLUSH;
SELECT * FROM StoriesVC;

INSERT INTO Votes VALUES (4,1), (5,2);
FLUSH;
SELECT * FROM StoriesVC ORDER BY story_id;
