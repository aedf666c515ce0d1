-- Room is made by the app that takes more than its share: its oldest samples go first.
CREATE INDEX sample_app ON sample (app, received, stored);
